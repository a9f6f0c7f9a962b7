"""Earlier ratings for the rows of a rating list, looked up for the members of one page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from ratings.office.fields import hundredths
from ratings.rbb.models.lists import RatingList, RatingListEntry
from ratings.rules.rounding import displayed
from ratings.rules.time_controls import Category

TREND: Final = 12
"""Number of monthly lists in a trend."""


def last_lists(category: Category, until: datetime | None = None) -> list[RatingList]:
    """Return the last monthly lists of a category, up to a moment; oldest first, each as last revised."""
    lists = RatingList.objects.of(category)
    if until is not None:
        lists = lists.until(until)
    newest: dict[object, RatingList] = {}
    # A month with revisions has more than one, but seldom many.
    for one in lists.only("month", "as_of", "members", "category", "revision")[: 4 * TREND]:
        newest.setdefault(one.month, one)
    return list(newest.values())[:TREND][::-1]


def earlier_ratings(members: Iterable[int], lists: Sequence[RatingList]) -> dict[int, list[int | None]]:
    """Return the displayed ratings of these members on each of these lists; None if they aren't on it."""
    place = {one.pk: number for number, one in enumerate(lists)}
    found: defaultdict[int, list[int | None]] = defaultdict(lambda: [None] * len(lists))
    lines = RatingListEntry.objects.filter(member__in=list(members), rating_list__in=list(place)).order_by()
    for member, key, points in lines.values_list("member_id", "rating_list_id", hundredths("rating")):
        found[member][place[key]] = displayed(points)
    return found
