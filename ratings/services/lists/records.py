"""Records of the arena, put together from what is kept of each published list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from ratings.models.ledger import Rating, RatingChange
from ratings.models.lists import ListReview, RatingList
from ratings.rules.time_controls import Category

SHOWN: Final = 10
MONTHS: Final = 3


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a category up to its last reviewed list.

    ``highest``: the highest ratings that members ever had. ``upsets``: the winners' lines, by how much
    higher their opponents were rated. ``months``: the lists whose periods had the most games. ``busiest``:
    the day on which most games ended, and how many.
    """

    category: Category
    highest: list[Rating]
    upsets: list[RatingChange]
    months: list[RatingList]
    busiest: tuple[date, int] | None


def all_records() -> list[Records]:
    """The records of each category that has a list."""
    newest: dict[tuple[Category, date], RatingList] = {}
    for published in RatingList.objects.monthly().order_by("revision"):
        if published.month:
            newest[published.category, published.month] = published
    figures = dict(
        ListReview.objects.filter(pk__in=[one.pk for one in newest.values()]).values_list("pk", "figures")
    )
    return [
        _records(category, sorted(lists, key=lambda one: one.as_of), figures)
        for category in Category
        if (lists := [one for (of, _month), one in newest.items() if of is category])
    ]


def _records(category: Category, lists: list[RatingList], figures: dict[int, dict[str, Any]]) -> Records:
    reviews = [figures[one.pk] for one in lists if one.pk in figures]
    # Twice as many, in case corrections have taken some of these lines since.
    upsets = sorted((pair for one in reviews for pair in one["upsets"]), key=lambda pair: -pair[1])[
        : 2 * SHOWN
    ]
    lines = RatingChange.objects.select_related("member", "opponent").in_bulk([key for key, _ in upsets])
    peaks = reviews[-1]["peaks"] if reviews else []
    days = [one["busiest"] for one in reviews if one["busiest"]]
    day = max(days, key=lambda pair: pair[1], default=None)
    played = [one for one in lists if one.period_games]
    return Records(
        category,
        highest=list(
            Rating.objects.filter(pk__in=peaks).select_related("member").order_by("-peak", "pk")[:SHOWN]
        ),
        upsets=[lines[key] for key, _ in upsets if key in lines][:SHOWN],
        months=sorted(played, key=lambda one: (-one.period_games, one.as_of))[:MONTHS],
        busiest=None if day is None else (date.fromisoformat(day[0]), day[1]),
    )
