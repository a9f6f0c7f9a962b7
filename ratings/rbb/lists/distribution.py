"""The distribution of ratings in a category: on a published list, or live."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from django.core.cache import cache
from django.db import connections
from django.db.models import Count

from ratings.office.fields import hundredths
from ratings.rbb.lists.as_of import live_ratings
from ratings.rbb.models.lists import RatingList
from ratings.rules.rounding import divide_half_up
from ratings.rules.time_controls import Category

BAND: Final = 50
"""Width of a band in points."""

_SECONDS: Final = 60
"""Minimum number of seconds for which a count of live ratings is cached."""

# Steps from each displayed rating to the next lower one, by the index of exact ratings: a list of a million
# members has about three thousand. The number of members at each follows from the ranks, so nothing is
# counted.
_RANKS: Final = """
WITH RECURSIVE step (id) AS (
    SELECT id FROM (
        SELECT id FROM ratings_ratinglistentry WHERE rating_list_id = %(list)s
        ORDER BY rating_list_id, rating DESC LIMIT 1
    ) AS highest
    UNION ALL
    SELECT (
        SELECT lower.id FROM ratings_ratinglistentry AS lower
        WHERE lower.rating_list_id = %(list)s AND lower.rating < (here.rating + 50) / 100 * 100 - 50
        ORDER BY lower.rating_list_id, lower.rating DESC LIMIT 1
    ) FROM step JOIN ratings_ratinglistentry AS here ON here.id = step.id
)
SELECT (entry.rating + 50) / 100, entry.rank FROM step
JOIN ratings_ratinglistentry AS entry ON entry.id = step.id ORDER BY entry.rank
"""


@dataclass(frozen=True, slots=True)
class Band:
    """Members whose displayed rating is between ``lowest`` and ``highest``, both included."""

    lowest: int
    highest: int
    members: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution. ``counts``: each displayed rating with its number of members, lowest first."""

    counts: tuple[tuple[int, int], ...]

    @property
    def members(self) -> int:
        return sum(number for _rating, number in self.counts)

    @property
    def median(self) -> int | None:
        """The displayed rating that half of the members reach; None without members."""
        half = divide_half_up(self.members, 2)
        sums = accumulate(number for _rating, number in self.counts)
        return next((one[0] for one, reach in zip(self.counts, sums, strict=True) if reach >= half), None)

    @property
    def bands(self) -> list[Band]:
        """All bands from the lowest to the highest rating, including empty ones."""
        if not self.counts:
            return []
        first, last = self.counts[0][0] // BAND, self.counts[-1][0] // BAND
        members = dict.fromkeys(range(first, last + 1), 0)
        for rating, number in self.counts:
            members[rating // BAND] += number
        return [Band(band * BAND, (band + 1) * BAND - 1, number) for band, number in members.items()]

    def percentile(self, displayed: int) -> int | None:
        """Return the share of members with a lower displayed rating, in whole per cent, rounded down.

        None without members.
        """
        lower = sum(number for rating, number in self.counts if rating < displayed)
        return 100 * lower // self.members if self.counts else None

    def rank(self, displayed: int) -> int:
        """Return 1 + the number of members with a higher displayed rating; equal ratings share a rank."""
        return 1 + sum(number for rating, number in self.counts if rating > displayed)


def live_distribution(category: Category) -> Distribution:
    """Return the distribution of live ratings, at most a minute old.

    Counting a million members takes about a second, so their distribution may be up to 15 minutes older.
    """
    key = f"distribution:{category.slug}"
    found: Distribution | None = cache.get(key)
    if found is None:
        found = _counted(category)
        cache.set(key, found, _SECONDS + found.members // 1_000)
    return found


def ranks(category: Category, shown: Sequence[int], *, is_top: bool, is_now: bool) -> Sequence[int]:
    """Return the ranks of some rows of a list, by their displayed ratings; without any where they'd be slow.

    ``is_top``: the list begins with them, so their ranks are counted. Others are read from the distribution
    of live ratings. At a past moment that would mean ranking everybody.
    """
    if is_top:
        return [1 + shown.index(rating) for rating in shown]
    if not is_now:
        return ()
    distribution = live_distribution(category)
    return [distribution.rank(rating) for rating in shown]


def list_distribution(published: RatingList) -> Distribution:
    """Return the distribution of a published list, cached for good: the list never changes."""
    return cache.get_or_set(  # type: ignore[return-value]
        f"distribution:{published.pk}", lambda: _of_list(published), timeout=None
    )


def _counted(category: Category) -> Distribution:
    shown = (hundredths("rating") + 50) / 100
    rows = live_ratings(category).order_by().annotate(shown=shown).values_list("shown")
    return Distribution(tuple(sorted(rows.annotate(number=Count("pk")))))


def _of_list(published: RatingList) -> Distribution:
    with connections[published._state.db or "default"].cursor() as cursor:
        cursor.execute(_RANKS, {"list": published.pk})
        ranks = cursor.fetchall()
    counts, after = [], published.members + 1
    for rating, rank in reversed(ranks):
        counts.append((rating, after - rank))
        after = rank
    return Distribution(tuple(counts))
