"""Figures converted to the coordinates of SVG pictures. Every picture has a table or a text beside it.

Pictures stretch to the width of the page, so their labels are part of the page and evenly spaced.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from operator import itemgetter
from typing import Final

from foa.moments import beginning_of, first_days
from ratings.rbb.profile.chart_points import Chart, Point, day_of
from ratings.rules.rounding import displayed, points_or_none
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

WIDTH: Final = 1000
HEIGHT: Final = 300
BARS: Final = 60
"""Height of the bars under a chart."""

_MONTHS: Final = 12
"""Number of rows in the table beside a comparison."""

_LABEL_WIDTH: Final = 130
_LABEL_HEIGHT: Final = 90
"""Size of a peak's label in tenths of a per cent of the picture, where that is smallest: beside the games."""

STEPS: Final = 4
"""Number of spaces between the grid lines."""

_SIZES: Final = (5, 10, 20, 25, 30, 40, 50, 100, 150, 200, 250, 300, 400, 500, 1000)
"""Possible numbers of points between two grid lines."""


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest rating of a line, where it was first reached: ``x`` and ``y`` in tenths of a per cent."""

    x: int
    y: int
    rating: Hundredths

    @property
    def left(self) -> str:
        """The horizontal position as a share of the width, in SVG notation."""
        return f"{self.x // 10}.{self.x % 10}%"

    @property
    def top(self) -> str:
        """The vertical position as a share of the height, in SVG notation."""
        return f"{self.y // 10}.{self.y % 10}%"

    @property
    def anchor(self) -> str:
        """The alignment that keeps the label within the picture, in SVG notation."""
        return "start" if self.x < 100 else "end" if self.x > 900 else "middle"

    def hides(self, other: Peak) -> bool:
        """Return whether the two labels would overlap."""
        across = abs(self._label_left - other._label_left)
        return across < _LABEL_WIDTH and abs(self.y - other.y) < _LABEL_HEIGHT

    @property
    def _label_left(self) -> int:
        return self.x - {"start": 0, "middle": _LABEL_WIDTH // 2, "end": _LABEL_WIDTH}[self.anchor]

    @property
    def displayed(self) -> int:
        """RBB 3.12: the rating as displayed."""
        return displayed(self.rating)


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a picture. ``low``, ``high``: its ratings in points, rounded outwards."""

    path: str
    low: int
    high: int
    peak: Peak


@dataclass(frozen=True, slots=True)
class Picture:
    """Lines by category or member's place. ``grid``: ratings at the grid lines, highest first.

    ``labels``: evenly spaced labels of the horizontal axis: moments, or numbers of games. ``bars``: left end,
    top, width and height of each.
    """

    lines: dict[int, ChartLine]
    low: int
    high: int
    start: int
    end: int
    grid: list[int]
    labels: Sequence[datetime | int]
    bars: list[tuple[int, int, int, int]]

    @property
    def named_peaks(self) -> list[int]:
        """The owners whose peaks get a label. If two labels would overlap, the higher peak gets one."""
        named: list[int] = []
        for owner, line in sorted(self.lines.items(), key=lambda one: -one[1].peak.rating):
            if not any(self.lines[other].peak.hides(line.peak) for other in named):
                named.append(owner)
        return named


def history(chart: Chart, *, by_games: bool = False) -> Picture | None:
    """Return a member's ratings as steps over time or numbers of games; None without a rating."""
    lines: dict[int, Sequence[Point]] = dict(chart.lines.items())
    if not by_games:
        return _picture(lines, chart.start, chart.end, volume=chart)
    numbers = [point.games for points in lines.values() for point in points]
    first, last = min(numbers, default=0), max(numbers, default=0)
    return _picture(
        {owner: [point._replace(moment=point.games) for point in points] for owner, points in lines.items()},
        first,
        max(last, first + 1),
        label=int,
    )


def comparison(charts: Sequence[Chart], category: Category) -> Picture | None:
    """Return the ratings of several members, by their places, in a category over their common period."""
    lines = dict(enumerate(chart.lines[category] for chart in charts))
    rated = [points[0].moment for points in lines.values() if points]
    if not rated:
        return None
    return _picture(lines, min(rated), max(chart.end for chart in charts))


def by_month(charts: Sequence[Chart], category: Category) -> list[tuple[datetime, list[Decimal | None]]]:
    """Return the comparison as a table: ratings today and at the start of each month, latest first."""
    lines = [chart.lines[category] for chart in charts]
    moments = [points[0].moment for points in lines if points]
    if not moments:
        return []
    end = day_of(max(chart.end for chart in charts))
    months = map(beginning_of, first_days(day_of(min(moments)).date(), end.date()))
    days = sorted({*list(months)[-_MONTHS:], end}, reverse=True)
    return [(day, [_held(points, day.timestamp()) for points in lines]) for day in days]


def _held(points: Sequence[Point], moment: float) -> Decimal | None:
    """Return the rating at a moment, None while unrated."""
    number = bisect_right(points, moment, key=lambda point: point.moment)
    return points_or_none(points[number - 1].rating) if number else None


def scale(lowest: int, highest: int) -> tuple[int, int]:
    """Return the lowest and highest line of a grid with round numbers around these ratings, in points."""
    for size in _SIZES:
        low = lowest // size * size
        if low + STEPS * size >= highest:
            return low, low + STEPS * size
    return 0, STEPS * _SIZES[-1]


def _picture(
    lines: Mapping[int, Sequence[Point]],
    start: int,
    end: int,
    volume: Chart | None = None,
    label: Callable[[int], datetime | int] = day_of,
) -> Picture | None:
    extremes = {owner: _extremes(points) for owner, points in lines.items()}
    found = [both for both in extremes.values() if both is not None]
    if not found or end <= start:
        return None
    low, high = scale(min(low for low, _ in found), max(high for _, high in found))
    return Picture(
        {
            owner: ChartLine(
                _steps(lines[owner], start, end, low, high),
                *both,
                _peak(lines[owner], start, end, low, high),
            )
            for owner, both in extremes.items()
            if both is not None
        },
        low,
        high,
        start,
        end,
        list(range(high, low - 1, -(high - low) // STEPS)),
        [label(start + (end - start) * part // 3) for part in range(4)],
        [] if volume is None else _bars(volume),
    )


def _extremes(points: Iterable[Point]) -> tuple[int, int] | None:
    rated = [point.rating for point in points if point.rating is not None]
    return (min(rated) // 100, -(-max(rated) // 100)) if rated else None


def _peak(points: Iterable[Point], start: int, end: int, low: int, high: int) -> Peak:
    rated = [(point.moment, point.rating) for point in points if point.rating is not None]
    moment, rating = max(rated, key=itemgetter(1))
    x = 1000 * (max(moment, start) - start) // (end - start)
    y = 10 * (100 * high - rating) // (high - low)
    return Peak(x, y, rating)


def _steps(points: Sequence[Point], start: int, end: int, low: int, high: int) -> str:
    """Return a path with a step at each change and a gap where unrated, continued to the right end."""
    path = []
    drawing = False
    for point in points:
        x = WIDTH * (max(point.moment, start) - start) // (end - start)
        if point.rating is None:
            path.append(f"H{x}" if drawing else "")
            drawing = False
            continue
        y = HEIGHT * (100 * high - point.rating) // (100 * (high - low))
        path.append(f"H{x}V{y}" if drawing else f"M{x} {y}")
        drawing = True
    return "".join(path) + (f"H{WIDTH}" if drawing else "")


def _bars(chart: Chart) -> list[tuple[int, int, int, int]]:
    """Return a bar for each day, week or month with games, the highest one as high as the picture."""
    seconds = chart.end - chart.start
    most = max((games for _, games in chart.volume), default=1)
    found = []
    for begin, games in chart.volume:
        left = WIDTH * max(0, begin - chart.start) // seconds
        right = WIDTH * min(seconds, begin + chart.unit * 86_400 - chart.start) // seconds
        height = max(2, BARS * games // most)
        found.append((left, BARS - height, max(2, right - left - 1), height))
    return found
