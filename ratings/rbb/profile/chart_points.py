"""The ledger of a member as chart lines, with no more points than a picture can show."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from operator import itemgetter
from typing import Final, NamedTuple

from ratings.rbb.ledger.history import HistoryLine
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

MOST_POINTS: Final = 400
"""Maximum number of points for a category in a chart; with more, each stretch keeps its lowest and highest
rating."""

_DAY: Final = 86_400


class Span(Enum):
    """The period of a chart in days; None means everything."""

    MONTH = "1m", 30
    QUARTER = "3m", 91
    YEAR = "1y", 365
    ALL = "all", None

    def __init__(self, slug: str, days: int | None) -> None:
        self.slug = slug
        self.days = days


class Point(NamedTuple):
    """A ledger line that moved the rating: seconds (UTC), number of the game, hundredths, keys."""

    moment: int
    games: int
    rating: Hundredths | None
    change: Hundredths | None
    line: int
    opponent: int | None


@dataclass(frozen=True, slots=True)
class Chart:
    """A period in seconds (UTC), the points of each category, and the number of games in each ``unit``.

    A category's first point may be before ``start``: the rating at the beginning. ``unit``: a number of days;
    ``volume``: the first second of each unit with games.
    """

    start: int
    end: int
    lines: dict[Category, list[Point]]
    unit: int
    volume: list[tuple[int, int]]


def charts(steps: Sequence[HistoryLine], now: datetime) -> dict[Span, Chart]:
    """Return a chart for each span up to ``now``, from all of a member's lines."""
    moments = [int(step.occurred_at.timestamp()) for step in steps]
    stamped: dict[Category, list[tuple[int, HistoryLine]]] = {category: [] for category in Category}
    for moment, step in zip(moments, steps, strict=True):
        stamped[step.category].append((moment, step))
    lines = {category: list(_points(of_category)) for category, of_category in stamped.items()}
    played = [moment for moment, step in zip(moments, steps, strict=True) if step.half_points is not None]
    # Rounded to the day, so that a day's picture is always the same until something happens.
    end = max([int(now.timestamp()) // _DAY * _DAY, *moments[-1:]])
    first = min(moments, default=end)
    return {
        span: _chart(first if span.days is None else end - span.days * _DAY, end, lines, played)
        for span in Span
    }


def _chart(start: int, end: int, lines: dict[Category, list[Point]], played: Sequence[int]) -> Chart:
    days = (end - start) // _DAY
    unit = 1 if days <= 100 else 7 if days <= 750 else 28
    counted = Counter(moment // (unit * _DAY) for moment in played[bisect_left(played, start) :])
    return Chart(
        start,
        end,
        {category: _thinned(_since(points, start)) for category, points in lines.items()},
        unit,
        [(number * unit * _DAY, games) for number, games in sorted(counted.items())],
    )


def _points(steps: Sequence[tuple[int, HistoryLine]]) -> Iterator[Point]:
    """Yield a point each time the rating changed, was lost (None) or was regained, and for the last event."""
    games = 0
    rating = None
    for number, (moment, step) in enumerate(steps, 1):
        games += step.half_points is not None
        if step.after != rating or number == len(steps):
            rating = step.after
            yield Point(moment, games, rating, step.change, step.id, step.opponent_id)


def _since(points: Sequence[Point], start: int) -> Sequence[Point]:
    """Return these points from a moment on, and the last one before it."""
    return points[max(0, bisect_left(points, start, key=lambda point: point.moment) - 1) :]


def _thinned(points: Sequence[Point]) -> list[Point]:
    """Return at most ``MOST_POINTS``, with the first and last; peaks, lows and gaps are kept."""
    if len(points) <= MOST_POINTS:
        return list(points)
    stretches = (MOST_POINTS - 2) // 3
    kept = {0, len(points) - 1}
    for number in range(stretches):
        stretch = range(number * len(points) // stretches, (number + 1) * len(points) // stretches)
        rated = [(points[at].rating, at) for at in stretch if points[at].rating is not None]
        # Of equal ratings the first: a peak is the point where it was reached.
        kept |= {max(rated, key=itemgetter(0))[1], min(rated)[1]} if rated else set()
        kept |= {next((at for at in stretch if points[at].rating is None), 0)}
    return [points[at] for at in sorted(kept)]


def day_of(seconds: int) -> datetime:
    """Return the moment of these seconds since 1970, UTC."""
    return datetime.fromtimestamp(seconds, UTC)
