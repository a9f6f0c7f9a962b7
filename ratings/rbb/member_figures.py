"""A member's ratings and statistics by category, live and on published lists, for their pages and the API."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Count, OuterRef, Subquery
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from foa.web.columns import sparkline
from members.models import Member
from ratings.rbb.lists.as_of import live_ranks
from ratings.rbb.lists.distribution import Distribution, list_distribution
from ratings.rbb.lists.settling import Settled, settled
from ratings.rbb.models import ListReview, RatingList, RatingListEntry, TimeControl
from ratings.rbb.models.fields import EventType
from ratings.rbb.profile import Month, ProfileStanding, Results, Statistics, results_by_key
from ratings.rbb.summaries import Figures
from ratings.rules.time_controls import Category

_SECONDS = 3600


class RatingCard(NamedTuple):
    """A rating: live, and on the latest monthly list.

    ``results``: of all games in the ledger, some of which may not count for the rating. ``rank``: among the
    live ratings; None for low ranks, and for a past moment.
    """

    standing: ProfileStanding
    results: Results
    entry: RatingListEntry | None
    rank: int | None

    @property
    def since(self) -> Decimal | None:
        """The change since the latest monthly list; None if the rating was lost."""
        if self.entry is None or self.standing.rating is None:
            return None
        since: Decimal = self.standing.rating - self.entry.rating
        return since

    @property
    def settled(self) -> Settled | None:
        """How settled the rating is; None if it isn't known, or there is no rating."""
        spreads = getattr(self.entry, "spreads", None)
        return None if self.standing.rating is None else settled(spreads, self.standing.games)

    @property
    def top(self) -> int | None:
        """The rank in per cent of the list, rounded up; None in the lower half, where it says little."""
        if self.entry is None or 2 * self.entry.rank > self.entry.rating_list.members:
            return None
        return -(-100 * self.entry.rank // self.entry.rating_list.members)

    @property
    def played(self) -> int:
        """The number of games in the ledger."""
        return self.results.games

    @property
    def sparkline(self) -> SafeString:
        """A sparkline of the latest ratings."""
        return sparkline(self.standing.recent, gettext("Rating over the last 50 changes"))


def rating_cards(member: Member, found: Figures, now: datetime, as_of: datetime | None) -> list[RatingCard]:
    """Return the three categories, ``now`` or at a past moment, when both are the same."""
    entries = _latest_entries(member, now)
    ranks = {} if as_of else live_ranks(member.pk)
    return [
        RatingCard(
            standing,
            statistics.results.both,
            entries.get(standing.category),
            ranks.get(standing.category),
        )
        for standing, statistics in zip(
            found.summary.standings_at(now), found.summary.statistics, strict=True
        )
    ]


def _latest_entries(member: Member, moment: datetime) -> dict[Category, RatingListEntry]:
    """Return the member's line on each category's latest monthly list at this moment.

    ``spreads``: those of :func:`ratings.rbb.lists.settling.spreads`, if they are stored with that list.
    """
    latest = RatingList.objects.of(OuterRef("rating_list__category")).until(moment)
    entries = member.list_entries.filter(rating_list=Subquery(latest.values("pk")[:1]))
    review = ListReview.objects.filter(pk=OuterRef("rating_list"))
    entries = entries.annotate(spreads=Subquery(review.values("figures__spreads")))
    return {entry.rating_list.category: entry for entry in entries.select_related("rating_list")}


class Place(NamedTuple):
    """A published rating among all on its list."""

    entry: RatingListEntry
    distribution: Distribution

    @property
    def percentile(self) -> int | None:
        """Per cent of the members with a lower rating, rounded down."""
        return self.distribution.percentile(self.entry.displayed)


class CategoryStatistics(NamedTuple):
    """A category in which a member has played. ``controls``: results by time control, most frequent first."""

    found: Statistics
    standing: ProfileStanding
    place: Place | None
    controls: list[tuple[TimeControl, Results]]


def member_statistics(
    member: Member, found: Figures, now: datetime, as_of: datetime | None
) -> list[CategoryStatistics]:
    """Return each category in which they have played, ``now`` or at a past moment, when both are the same."""
    controls = _by_control(member, found, as_of)
    entries = _latest_entries(member, now)
    standings = {standing.category: standing for standing in found.summary.standings}
    return [
        CategoryStatistics(
            one,
            standings[one.category],
            None if entry is None else Place(entry, list_distribution(entry.rating_list)),
            [(control, results) for control, results in controls if control.category == one.category],
        )
        for one in found.summary.statistics
        if one.results.both.games
        for entry in [entries.get(one.category)]
    ]


def _by_control(member: Member, found: Figures, as_of: datetime | None) -> list[tuple[TimeControl, Results]]:
    """Return results by time control, most frequent first, cached like the other figures."""
    name = f"{found.name}:controls"
    counted: dict[int, Results] | None = cache.get(name) if found.name else None
    if counted is None:
        changes = member.rating_changes.of_kind(EventType.GAME)
        if as_of is not None:
            changes = changes.until(as_of)
        rows = changes.order_by().values_list("game__time_control", "half_points")
        counted = results_by_key(rows.annotate(number=Count("pk")))
        if found.name:
            cache.set(name, counted, _SECONDS)
    controls = TimeControl.objects.in_bulk(list(counted))
    return sorted(
        ((controls[key], results) for key, results in counted.items()), key=lambda one: -one[1].games
    )


class Review(NamedTuple):
    """A month with the members named in it."""

    month: Month
    beaten: Member | None
    often: Member | None


def reviews(months: Iterable[Month]) -> list[Review]:
    """Return the reviews of these months, with all names from one query."""
    named = [
        (month, month.best_win and month.best_win.opponent_id, month.often and month.often[0])
        for month in months
    ]
    members = Member.everybody.in_bulk({pk for _month, *keys in named for pk in keys if pk})
    return [
        Review(month, members.get(beaten or 0), members.get(often or 0)) for month, beaten, often in named
    ]
