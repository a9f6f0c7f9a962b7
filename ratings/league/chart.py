"""Chart of a player's ratings from cycle to cycle. The table below it has the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext

from ratings.league.models import CycleResult
from ratings.rules.rounding import displayed, to_hundredths

_STEP: Final = 60
"""Horizontal distance between two cycles, in pixels."""

_LEFT, _TOP, _TALL, _BELOW = 46, 30, 180, 50
_GRID: Final = 100
"""Minimum distance of grid lines in rating points, doubled until there are few enough lines."""

_MOST_LINES: Final = 7


@dataclass(frozen=True, slots=True)
class Point:
    """A rating in the chart. ``label``: the cycle; ``season``: its name where a new one begins."""

    x: int
    y: int
    rating: int
    label: str
    season: str


@dataclass(frozen=True, slots=True)
class LeagueChart:
    """A chart with its size in pixels. ``grid``: heights with their ratings; ``right``: its right end."""

    width: int
    height: int
    left: int
    right: int
    bottom: int
    grid: tuple[tuple[int, int], ...]
    points: tuple[Point, ...]

    @property
    def line(self) -> str:
        return " ".join(f"{point.x},{point.y}" for point in self.points)


def chart(results: Sequence[CycleResult]) -> LeagueChart | None:
    """Draw the rating at the start, unless the player was new, and after each of these cycles, in order.

    Return None for fewer than two points, because they make no line.
    """
    steps = [(str(one.cycle_list.cycle.number), one, one.new) for one in results if one.new is not None]
    if results and not results[0].captains_estimate:
        steps.insert(0, (gettext("start"), results[0], results[0].old))
    if len(steps) < 2:
        return None
    ratings = [to_hundredths(rating) for _label, _one, rating in steps]
    low, high, step = _scale(min(ratings), max(ratings))
    points = []
    season = ""
    for number, ((label, one, _rating), rating) in enumerate(zip(steps, ratings, strict=True)):
        name = one.cycle_list.cycle.season.name
        x = _LEFT + _STEP // 2 + _STEP * number
        y = _TOP + _TALL * (100 * high - rating) // (100 * (high - low))
        points.append(Point(x, y, displayed(rating), label, "" if name == season else name))
        season = name
    right = _LEFT + _STEP * len(steps)
    grid = tuple((_TOP + _TALL * (high - line) // (high - low), line) for line in range(low, high + 1, step))
    return LeagueChart(right, _TOP + _TALL + _BELOW, _LEFT, right, _TOP + _TALL, grid, tuple(points))


def _scale(lowest: int, highest: int) -> tuple[int, int, int]:
    """Return the lowest and highest grid line and their distance in points, for ratings in hundredths."""
    step = _GRID
    while (highest - lowest) // (100 * step) > _MOST_LINES - 2:
        step *= 2
    low = lowest // (100 * step) * step
    high = -(-highest // (100 * step)) * step
    return low, high + (step if high == low else 0), step
