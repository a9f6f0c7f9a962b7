"""Records of the arena, compiled from the reviews of published lists."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from ratings.rbb.lists.publishing import next_month
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rbb.models.lists import ListReview, RatingList
from ratings.rules.time_controls import Category

SHOWN: Final = 10
MONTHS: Final = 3


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a category up to its last reviewed list.

    ``highest``: members' highest ratings ever. ``upsets``: the winners' lines, by how much higher their
    opponents were rated. ``months``: the months with the most games, their number, and the list at the end of
    each, if any. ``busiest``: the day on which most games ended, and their number.
    """

    category: Category
    highest: list[Rating]
    upsets: list[RatingChange]
    months: list[tuple[date, int, RatingList | None]]
    busiest: tuple[date, int] | None


def all_records() -> list[Records]:
    """Return the records of each category that has a list."""
    newest: dict[tuple[Category, date], RatingList] = {}
    for published in RatingList.objects.monthly().order_by("revision"):
        if published.month:
            newest[published.category, published.month] = published
    figures = dict(
        ListReview.objects.complete()
        .filter(pk__in=[one.pk for one in newest.values()])
        .values_list("pk", "figures")
    )
    return [
        _records(category, sorted(lists, key=lambda one: one.as_of), figures)
        for category in Category
        if (lists := [one for (of, _month), one in newest.items() if of is category])
    ]


def _records(category: Category, lists: list[RatingList], figures: dict[int, dict[str, Any]]) -> Records:
    reviews = [figures[one.pk] for one in lists if one.pk in figures]
    # Twice as many, in case corrections have changed some of these lines since.
    pairs = sorted((pair for one in reviews for pair in one["upsets"]), key=lambda pair: -pair[1])
    lines = RatingChange.objects.filter(pk__in=[key for key, _ in pairs[: 2 * SHOWN]]).upsets()
    days = [one["busiest"] for one in reviews if one["busiest"]]
    day = min(days, key=lambda pair: (-pair[1], pair[0]), default=None)
    months: Counter[str] = Counter()
    for one in reviews:
        months.update(one["months"])
    by_month = {one.month: one for one in lists}
    most = sorted(months.items(), key=lambda pair: (-pair[1], pair[0]))[:MONTHS]
    peaks = reviews[-1]["peaks"] if reviews else []
    return Records(
        category,
        highest=list(
            Rating.objects.filter(pk__in=peaks).select_related("member").order_by("-peak", "pk")[:SHOWN]
        ),
        upsets=list(lines.select_related("member", "opponent")[:SHOWN]),
        months=[
            (first, games, by_month.get(next_month(first)))
            for first, games in ((date.fromisoformat(f"{month}-01"), games) for month, games in most)
        ],
        busiest=None if day is None else (date.fromisoformat(day[0]), day[1]),
    )
