"""Figures about the arena for the officer's desk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from django.db.models import Count
from django.db.models.functions import TruncDate

from foa.moments import beginning_of
from ratings.rbb.models import Game, RatingList
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

_DAYS: Final = 30
_MONTHS: Final = 12
_WIDTH, _HEIGHT, _EDGE = 240, 48, 2


class DayPlayed(NamedTuple):
    """A day (UTC) and the number of rated games that ended on it."""

    day: date
    games: int


@dataclass(frozen=True, slots=True)
class Means:
    """A category's mean ratings in hundredths on its published lists, earliest first."""

    category: Category
    by_month: Sequence[tuple[date, Hundredths]]

    @property
    def drift(self) -> Hundredths:
        """The change from the first of these lists to the last."""
        return Hundredths(self.by_month[-1][1] - self.by_month[0][1])


@dataclass(frozen=True, slots=True)
class Line:
    """A small line chart in a box of this size in pixels, with the lowest value at the bottom."""

    points: str
    width: int = _WIDTH
    height: int = _HEIGHT


def played(now: datetime) -> list[DayPlayed]:
    """Return the number of rated games on each of the last thirty days, including today."""
    today = now.astimezone(UTC).date()
    first = today - timedelta(days=_DAYS - 1)
    counted = dict(
        Game.objects.counting()
        .filter(ended_at__gte=beginning_of(first), ended_at__lte=now)
        .order_by()
        .annotate(day=TruncDate("ended_at", tzinfo=UTC))
        .values_list("day")
        .annotate(games=Count("pk"))
    )
    days = (first + timedelta(days=number) for number in range(_DAYS))
    return [DayPlayed(day, counted.get(day, 0)) for day in days]


def means() -> list[Means]:
    """Return each category's mean ratings on its last twelve monthly lists, as last revised."""
    found = []
    for category in Category:
        by_month: dict[date, Hundredths] = {}
        for month, mean in RatingList.objects.of(category).values_list("month", "mean")[: 2 * _MONTHS]:
            if month is not None and mean is not None:
                by_month.setdefault(month, Hundredths(mean))
        if latest := sorted(by_month.items())[-_MONTHS:]:
            found.append(Means(category, latest))
    return found


def line(values: Sequence[int]) -> Line:
    """Draw these values, at least two, from left to right."""
    least, most = min(values), max(values)
    tall, wide = _HEIGHT - 2 * _EDGE, _WIDTH - 2 * _EDGE
    points = (
        (
            _EDGE + wide * number // (len(values) - 1),
            _EDGE + (tall - tall * (value - least) // (most - least) if most > least else tall // 2),
        )
        for number, value in enumerate(values)
    )
    return Line(" ".join(f"{x},{y}" for x, y in points))
