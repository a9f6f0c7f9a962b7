"""RBB 1.4: the monthly lists, with revisions after corrections, and the lists requested by members."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.utils.translation import gettext as _

from foa.moments import month_of
from foa.text import month_text
from members.models import Member
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_event
from ratings.rbb.ledger.locks import lock_category
from ratings.rbb.lists.freezing import differing_members, freeze
from ratings.rbb.models.games import Game
from ratings.rbb.models.lists import RatingList
from ratings.rules.time_controls import Category

Day = TypeVar("Day", bound=date)


def first_month(using: str = DEFAULT_DB_ALIAS) -> datetime | None:
    """Return the month in which the first rated game ended, which has the first list; None without games."""
    game = Game.objects.using(using).counting().order_by("ended_at", "pk").first()
    return None if game is None else month_of(game.ended_at)


def due_months(*, category: Category, at: datetime, using: str = DEFAULT_DB_ALIAS) -> list[datetime]:
    """Return the months up to ``at`` without a list: all since the last one, or just the current month."""
    current = month_of(at)
    last = RatingList.objects.using(using).latest_of(category)
    if last is None or last.month is None:
        first = first_month(using)
        return [] if first is None or first > current else [current]
    months = []
    month = next_month(datetime(last.month.year, last.month.month, 1, tzinfo=UTC))
    while month <= current:
        months.append(month)
        month = next_month(month)
    return months


def publish(
    *,
    category: Category,
    month: datetime,
    at: datetime,
    by: Any = None,
    revise: bool = False,
    using: str = DEFAULT_DB_ALIAS,
) -> tuple[RatingList, bool]:
    """Freeze a month's list: the state at 00:00 UTC on its first day, after everything that ended by then.

    Return the valid list and whether it is new. A published month stays unchanged; with ``revise`` a new
    revision is made, unless it would be identical.
    """
    with transaction.atomic(using=using):
        # The list is read from one state of the ledger. If two people publish a month, the second finds it.
        lock_category(connections[using], category)
        lists = RatingList.objects.using(using)
        stands = lists.latest_of(category, month.date())
        previous = lists.of(category).before(month.date()).first()
        if stands is not None and (not revise or not _differs(stands, previous)):
            return stands, False
        published = lists.create(
            category=category,
            month=month.date(),
            revision=stands.revision + 1 if stands else 1,
            as_of=month,
            published_at=at,
            published_by=by,
            previous=previous,
            members=0,
        )
        freeze(published, using)
        event = OutboxEntry.Event.LIST_REVISED if stands else OutboxEntry.Event.LIST_PUBLISHED
        record_event(event, published.pk, using=using)
    return published, True


def publish_requested(
    *,
    category: Category,
    federation: str,
    member: Member,
    at: datetime,
    using: str = DEFAULT_DB_ALIAS,
) -> RatingList:
    """Freeze a list requested by a member: the state after the last result up to this second (RBB 1.4).

    ``federation``: FIDE's code, or empty for all. The caller checks who may request lists, and how often.
    """
    as_of = at.replace(microsecond=0)
    with transaction.atomic(using=using):
        lock_category(connections[using], category)
        lists = RatingList.objects.using(using)
        published = lists.create(
            category=category,
            as_of=as_of,
            federation=federation,
            requested_by=member,
            published_at=at,
            previous=lists.of(category).until(as_of).first(),
            members=0,
        )
        freeze(published, using)
    return published


def _differs(stands: RatingList, previous: RatingList | None) -> bool:
    """Return whether a revision would differ: in its ratings, or in the list at which its period begins."""
    return stands.previous != previous or differing_members(stands) > 0


def next_month(day: Day) -> Day:
    """Return the first day of the following month."""
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1)


def month_to_publish(text: str, at: datetime) -> datetime:
    """Return the first moment of a month (``2026-03``); raises ValidationError for one without lists."""
    try:
        month = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        raise ValidationError(_("“%(text)s” isn't a month such as 2026-03.") % {"text": text}) from None
    if month > at:
        raise ValidationError(
            _("%(month)s has not started. Its lists show the state on its first day.")
            % {"month": month_text(month)}
        )
    first = first_month()
    if first is None or month < first:
        raise ValidationError(
            _("%(month)s is before the first rated game, so it has no list.") % {"month": month_text(month)}
        )
    return month


def months_to_publish(at: datetime) -> list[datetime]:
    """Return the months that can be published, latest first, back to that of the first rated game."""
    first = first_month()
    if first is None:
        return []
    span = range(first.year * 12 + first.month - 1, at.year * 12 + at.month)
    return [datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC) for number in reversed(span)]
