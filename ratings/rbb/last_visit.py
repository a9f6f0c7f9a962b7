"""News about a member's ratings since their last visit, for the first page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from members.models import Member
from ratings.rbb.models import RatingChange, RatingList, RatingListEntry
from ratings.rbb.profile.summary import LATELY, ProfileStanding
from ratings.rbb.summaries import figures
from ratings.rules.rounding import displayed, from_hundredths
from ratings.rules.units import Hundredths

APART: Final = timedelta(minutes=30)
"""Time without the first page after which a visit has ended."""

_SHOWN: Final = 8
_LATEST: Final = 3
"""Number of changes that are shown if there are none since the last visit."""

_VISIT: Final = "visit"
"""Session key of when the first page was last seen, in this visit and in the one before."""


def last_visit(session: Any, now: datetime, *, is_polling: bool) -> datetime | None:
    """Return when the visit before this one ended, or None if the session doesn't know; note this visit.

    A page that refreshes itself is no visit: somebody may have left it open for days.
    """
    seen, before = session.get(_VISIT, (None, None))
    if not is_polling:
        if seen is not None and now - datetime.fromisoformat(seen) >= APART:
            before = seen
        session[_VISIT] = (now.isoformat(), before)
    return None if before is None else datetime.fromisoformat(before)


class Movement(NamedTuple):
    """A member's rating in a category, and displayed ``before``, with the exact change; None if unrated."""

    standing: ProfileStanding
    before: int | None
    change: Decimal | None


class News(NamedTuple):
    """News about a member's ratings. ``since``: their last visit, None for the last 30 days.

    ``lines``: the latest changes, if ``is_new`` only those since then; ``has_more``: there are others.
    ``entries``: their lines on lists published since.
    """

    member: Member
    since: datetime | None
    movements: list[Movement]
    entries: Sequence[RatingListEntry]
    lines: Sequence[RatingChange]
    is_new: bool
    has_more: bool


def news_for(member: Member, now: datetime, since: datetime | None, lists: Iterable[RatingList]) -> News:
    """Return what has happened since a moment, at most 30 days ago; ``lists``: those of each category."""
    start = max(since or now - LATELY, now - LATELY)
    latest = list(member.rating_changes.with_events().order_by("-occurred_at", "-id")[: _SHOWN + 1])
    new = [line for line in latest if line.occurred_at > start]
    summary = figures(member, now).summary
    movements = []
    for standing in summary.standings_at(now):
        if standing.last is not None:
            before, after = summary.rating_at(standing.category, start), standing.last.after
            movements.append(
                Movement(
                    standing,
                    None if before is None else displayed(before),
                    None if before is None or after is None else from_hundredths(Hundredths(after - before)),
                )
            )
    return News(
        member,
        since if start == since else None,
        movements,
        _entries(member, [one for one in lists if one.published_at > start]),
        new[:_SHOWN] or latest[:_LATEST],
        is_new=bool(new),
        has_more=len(latest) > (_SHOWN if new else _LATEST),
    )


def _entries(member: Member, lists: Sequence[RatingList]) -> Sequence[RatingListEntry]:
    if not lists:
        return ()
    entries = member.list_entries.filter(rating_list__in=lists).select_related("rating_list")
    return list(entries.order_by("rating_list__category"))
