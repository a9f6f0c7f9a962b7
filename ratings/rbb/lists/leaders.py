"""The best of each kind now: the groups of published lists, from live ratings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.core.cache import cache
from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from members.closures import AccountClosure
from ratings.office.fields import hundredths
from ratings.rbb.ledger.activity import COUNTED
from ratings.rbb.lists.as_of import live_ratings
from ratings.rbb.lists.top_lists import (
    ACTIVE,
    BY_BIRTH,
    EVERYBODY,
    GROUPS,
    IMPROVED,
    TOP,
    Federation,
    Group,
    by_federation,
    ranked,
)
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

DAYS: Final = 30
"""Number of days before now in which members have improved and been active."""
LEADERS: Final = {EVERYBODY.slug: EVERYBODY, **GROUPS}
"""The groups of every category."""

_SECONDS: Final = 60
"""Minimum number of seconds for which it is cached who is in a group. The ratings shown are always live."""
_KEPT: Final = 2 * TOP
"""Maximum number of members cached for a group."""


def leaders(category: Category, group: Group, at: datetime, most: int = TOP) -> list[Rating]:
    """Return the first ratings of a group at most a minute ago, with their present ``rank`` in it.

    Erased members and those whose accounts are closed for rated play are left out.
    """
    return first_leaders(category, [group], at, most)[group.slug]


def first_leaders(
    category: Category, groups: Iterable[Group], at: datetime, most: int
) -> dict[str, list[Rating]]:
    """Return the first ratings of each group by its slug, reading the rows of all of them together."""
    found = {group: _figures(category, group, at) for group in groups}
    # Twice as many, in case some have left or lost rating since.
    keys = {key for figures in found.values() for key in list(figures)[: 2 * most]}
    rows = {row.member_id: row for row in _present(category, at).filter(member__in=keys)}
    return {group.slug: _placed(group, figures, rows)[:most] for group, figures in found.items()}


def leading_federations(category: Category, at: datetime) -> list[Federation]:
    """Return the federations by the average of their ten best live ratings, at most a minute old."""
    key = f"leaders:{category.slug}:federations"
    found: list[Federation] | None = cache.get(key)
    if found is None:
        found = by_federation(_present(category, at), "member__federation")
        cache.set(key, found, _SECONDS + sum(one.members for one in found) // 1_000)
    return found


def _placed(group: Group, figures: Mapping[int, Any], rows: Mapping[int, Rating]) -> list[Rating]:
    """Return copies of a group's rows with their ranks: by its figures, or by rating where that is one."""
    keys: Iterable[int] = figures if group in (IMPROVED, ACTIVE) else rows
    found: list[Any] = [copy(rows[key]) for key in keys if key in figures and key in rows]
    if group.slug in BY_BIRTH:
        # Some may have hidden their birth year and sex since.
        found = [row for row in found if not row.member.hides_birth]
    for row in found:
        if group is IMPROVED:
            row.change = from_hundredths(Hundredths(figures[row.member_id]))
        elif group is ACTIVE:
            row.period_games = figures[row.member_id]
    for rank, row in ranked(group, found):
        row.rank = rank
    return found


def _present(category: Category, at: datetime) -> QuerySet[Rating]:
    """Return the live ratings without those of members who are no longer here."""
    closed = AccountClosure.objects.overlapping((at, None)).filter(closed_from__lte=at)
    rows = live_ratings(category).filter(member__withdrawn_at=None)
    return rows.exclude(member__in=closed.order_by().values("member"))


def _figures(category: Category, group: Group, at: datetime) -> dict[int, int]:
    """Return the first members of a group, best first, with the figure that they are there for."""
    key = f"leaders:{category.slug}:{group.slug}"
    found: dict[int, int] | None = cache.get(key)
    if found is None:
        if group in (IMPROVED, ACTIVE):
            return _of_the_period(category, at)[group.slug]
        rows = _present(category, at).filter(group.members(at.astimezone(UTC).year, "member__"))
        if group.slug in BY_BIRTH:
            rows = rows.filter(member__hides_birth=False)
        found = dict(rows.values_list("member", hundredths("rating"))[:_KEPT])
        cache.set(key, found, _SECONDS)
    return found


def _of_the_period(category: Category, at: datetime) -> dict[str, dict[int, int]]:
    """Return who gained most in the last days, in hundredths, and who played the most rated games.

    The lines of a category since a moment are read once for both, and of more members seldom: for 60,000
    they may be ten minutes old. Of newcomers at the moment nobody has improved.
    """
    lines = RatingChange.objects.filter(category=category, occurred_at__gt=at - timedelta(days=DAYS))
    played = Count("pk", filter=Q(game__isnull=False, reason__in=COUNTED))
    # RBB 3.3, 3.5: without a rating, changes count from 0.
    moved = Sum(Coalesce(hundredths("after"), 0) - Coalesce(hundredths("before"), 0))
    # Grouped by a sum, SQLite reads the days by their index; by the column it would read the whole ledger.
    who = F("member_id") + 0
    since = lines.order_by().values_list(who).annotate(moved=moved, played=played)
    now = dict(_present(category, at).order_by().values_list("member", hundredths("rating")))
    active = [(member, gained, games) for member, gained, games in since if games and member in now]
    risen = [(gained, member) for member, gained, _games in active if 0 < gained < now[member]]
    busy = [(games, member) for member, _gained, games in active]
    found = {
        IMPROVED.slug: _first(risen, now),
        ACTIVE.slug: _first(busy, now),
    }
    for slug, figures in found.items():
        cache.set(f"leaders:{category.slug}:{slug}", figures, _SECONDS + len(active) // 100)
    return found


def _first(figures: list[tuple[int, int]], now: Mapping[int, int]) -> dict[int, int]:
    """Return members with their figures, highest first, equal ones by rating."""
    figures.sort(key=lambda one: (-one[0], -now[one[1]], one[1]))
    return {member: figure for figure, member in figures[:_KEPT]}
