"""Moments in addresses and on the command line: ISO 8601, in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Final

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext

NEVER_ENDS: Final = datetime.max.replace(tzinfo=UTC)
"""Later than any end: compared instead of the end of a span that has none."""

_SHOWN = 40


def parse_moment(text: str) -> datetime:
    """Parse an ISO 8601 moment as UTC; a date alone is its 00:00 UTC. Raises ValueError for anything else."""
    try:
        value = datetime.fromisoformat(text)
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(text) from error


def month_of(moment: datetime) -> datetime:
    """Return the first moment of the month, UTC."""
    return moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def beginning_of(day: date) -> datetime:
    """Return the first moment of a day, UTC."""
    return datetime.combine(day, time(), UTC)


def end_of(day: date) -> datetime:
    """Return the last moment of a day, UTC."""
    return datetime.combine(day, time.max, UTC)


def asked_moment(parameters: QueryDict) -> datetime | None:
    """Return the moment in the parameter ``as_of``, or None without it.

    Raises BadRequest if it isn't a moment or is in the future.
    """
    text = parameters.get("as_of")
    if text is None:
        return None
    try:
        moment = parse_moment(text)
    except ValueError:
        raise BadRequest(
            gettext("“%(text)s” in as_of isn’t a date and time such as 2026-03-14T20:00Z.")
            % {"text": text[:_SHOWN]}
        ) from None
    if moment > timezone.now():
        raise BadRequest(gettext("“%(text)s” in as_of is in the future.") % {"text": text[:_SHOWN]})
    return moment


def first_days(first: date, last: date) -> Iterator[date]:
    """Yield the first days of months from ``first`` to ``last``, both included."""
    for number in range(first.year * 12 + first.month - 1, last.year * 12 + last.month):
        day = date(number // 12, number % 12 + 1, 1)
        if day >= first:
            yield day
