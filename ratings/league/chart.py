"""A player's ratings from cycle to cycle, as points of a drawing; the table below has the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext

from ratings.league.models import CycleResult
from ratings.rules.rounding import displayed, to_hundredths

_STEP: Final = 60
"""Pixels from cycle to cycle."""

_LEFT, _TOP, _TALL, _BELOW = 46, 30, 180, 50
_GRID: Final = 100
"""Points of rating between two lines, doubled until there are few enough."""

_MOST_LINES: Final = 7


@dataclass(frozen=True, slots=True)
class Point:
    """A rating at its place. ``label``: the cycle; ``season``: its name, where another one begins."""

    x: int
    y: int
    rating: int
    label: str
    season: str


@dataclass(frozen=True, slots=True)
class LeagueChart:
    """A drawing of this size, in pixels. ``grid``: heights, each with its rating; ``right``: their end."""

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
    """The rating at the start, unless the player was new, and after each of these cycles, in their order.

    None for fewer than two points, which make no line.
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
    """The lowest and the highest line of the grid, and their distance; points from hundredths."""
    step = _GRID
    while (highest - lowest) // (100 * step) > _MOST_LINES - 2:
        step *= 2
    low = lowest // (100 * step) * step
    high = -(-highest // (100 * step)) * step
    return low, high + (step if high == low else 0), step
