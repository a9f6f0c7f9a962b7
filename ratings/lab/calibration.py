"""The calibration of table 4.2: what favourites should have scored, and what they scored (RBB 3.9.1, 4.2).

Every game between two members who were rated before it counts once, for the higher-rated one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Final, cast

from django.core.cache import cache
from django.db.models import Case, Count, F, Q, Sum, Value, When
from django.db.models.functions import Greatest
from django.utils.translation import gettext

from ratings.office.fields import hundredths
from ratings.rbb.models.fields import EventType
from ratings.rbb.models.ledger import RatingChange
from ratings.rules.tables import PD_ROWS
from ratings.rules.time_controls import Category
from ratings.rules.units import WIN

LEAST: Final = 100
"""Minimum number of games for a score."""

_SECONDS: Final = 60
_AT_ONCE: Final = 5
"""Rows of table 4.2 in a band."""

_OF_RATING: Final = 200
_Z: Final = 1.959964
"""The normal distribution has 95 % between -z and z."""

_STEPS: Final = (0.02, 0.04, 0.1, 0.2, 0.4)
"""Possible heights of the picture's upper half."""

WIDTH: Final = 640
HEIGHT: Final = 240


@dataclass(slots=True)
class Tally:
    """Games, the sum of the expected scores in hundredths, and the half points scored."""

    games: int = 0
    expected: int = 0
    half_points: int = 0

    def add(self, games: int, expected: int, half_points: int) -> None:
        """Add games with the same expected score."""
        self.games += games
        self.expected += games * expected
        self.half_points += half_points

    @property
    def is_enough(self) -> bool:
        """True if there are enough games for a score."""
        return self.games >= LEAST

    @property
    def mean_expected(self) -> float:
        """The mean expected score."""
        return self.expected / 100 / self.games

    @property
    def scored(self) -> float:
        """The mean score."""
        return self.half_points / WIN / self.games

    @property
    def difference(self) -> float:
        """The mean score less the mean expected score."""
        return self.scored - self.mean_expected

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean score (Wilson 1927); draws count as half a win, so it is wide."""
        part = _Z**2 / self.games
        middle = (self.scored + part / 2) / (1 + part)
        half = _Z / (1 + part) * sqrt(self.scored * (1 - self.scored) / self.games + part / 4 / self.games)
        return middle - half, middle + half

    @property
    def is_beyond_chance(self) -> bool:
        """True if the expected score is outside the interval."""
        low, high = self.interval
        return not low <= self.mean_expected <= high


@dataclass(slots=True)
class Row:
    """The games of some rows of the table, or of favourites with about the same rating."""

    label: str
    all: Tally = field(default_factory=Tally)
    white: Tally = field(default_factory=Tally)
    black: Tally = field(default_factory=Tally)

    def add(self, is_white: bool, games: int, expected: int, half_points: int) -> None:
        """Add games in which the favourite had the same colour and expected score."""
        for tally in (self.all, self.white if is_white else self.black):
            tally.add(games, expected, half_points)


@dataclass(slots=True)
class Calibration:
    """A category: all games, bands of rows of the table, its rows, and bands of the favourite's rating."""

    category: Category
    total: Row
    bands: list[Row]
    rows: list[Row]
    ratings: list[Row]

    @property
    def tables(self) -> list[tuple[str, str, list[Row]]]:
        """The tables of the page: name, heading of the first column, and rows that have games."""
        return [
            (gettext("By difference"), gettext("Difference"), [self.total, *self.bands]),
            (gettext("By the favourite’s rating"), gettext("Rating"), self.ratings),
            (gettext("Table 4.2 row by row"), gettext("Difference"), self.rows),
        ]

    @property
    def judged(self) -> list[Row]:
        """Bands of differences with enough games for a score."""
        return [row for row in self.bands if row.all.is_enough]

    @property
    def beyond_chance(self) -> list[Row]:
        """Those of the judged bands whose score isn't what the table predicts, beyond chance."""
        return [row for row in self.judged if row.all.is_beyond_chance]

    @property
    def picture(self) -> dict[str, Any] | None:
        """The coordinates of scores less expected ones, row by row; None if no row has enough games."""
        points = [row.all for row in self.rows if row.all.is_enough]
        if not points:
            return None
        furthest = max(abs(end - one.mean_expected) for one in points for end in one.interval)
        top = next((step for step in _STEPS if step >= furthest), 1.0)

        def height(difference: float) -> float:
            return round(HEIGHT / 2 * (1 - difference / top), 1)

        return {
            "points": [
                {
                    "x": round((one.mean_expected - 0.5) * 2 * WIDTH, 1),
                    "y": height(one.difference),
                    "low": height(one.interval[0] - one.mean_expected),
                    "high": height(one.interval[1] - one.mean_expected),
                }
                for one in points
            ],
            "grid": [(HEIGHT * part // 4, top * (2 - part) / 2) for part in range(5)],
            "labels": [(WIDTH * part // 5, f"{0.5 + part / 10:.1f}") for part in range(6)],
        }


def calibrations() -> list[Calibration]:
    """Return the calibration of each category by today's ledger, at most a minute old.

    Counting a million games takes seconds, so theirs may be a quarter of an hour older.
    """
    found = cast("list[Calibration] | None", cache.get("lab-calibration"))
    if found is None:
        found = list(_counted())
        games = sum(one.total.all.games for one in found)
        cache.set("lab-calibration", found, _SECONDS + games // 1_000)
    return found


def _counted() -> Iterator[Calibration]:
    # White's line is the even one. Equal ratings have no favourite.
    lines = RatingChange.objects.of_kind(EventType.GAME).order_by().annotate(colour=F("id") % 2)
    lines = lines.filter(~Q(before=F("opponent_rating")), expected__isnull=False, colour=0)
    is_white = Q(before__gt=F("opponent_rating"))
    higher = Greatest(hundredths("before"), hundredths("opponent_rating"))
    counted = (
        lines.annotate(
            white=Case(When(is_white, then=Value(1)), default=Value(0)),
            best=Case(When(is_white, then=F("expected")), default=100 - F("expected")),
            band=higher / (100 * _OF_RATING),
        )
        .values_list("category", "white", "best", "band")
        .annotate(number=Count("pk"), scored=Sum("half_points"))
    )
    found = list(counted)
    for category in Category:
        yield _calibration(category, (row[1:] for row in found if row[0] == category))


def _calibration(category: Category, found: Iterable[tuple[int, ...]]) -> Calibration:
    """Return what a category's games add up to."""
    total = Row(gettext("All"))
    rows = [Row(_range(number, number)) for number in range(len(PD_ROWS))]
    # The last band has the last row, 1.00, too.
    begins = range(0, len(PD_ROWS) - 1, _AT_ONCE)
    bands = [Row(_range(begin, begin + _AT_ONCE - 1 + (begin == begins[-1]))) for begin in begins]
    ratings: dict[int, Row] = {}
    for white, higher, band, games, scored in sorted(found, key=lambda row: row[2]):
        low = band * _OF_RATING
        rating = ratings.setdefault(band, Row(f"{low}–{low + _OF_RATING - 1}"))
        half_points = scored if white else WIN * games - scored
        number = higher - 50
        for row in (total, rows[number], bands[min(number // _AT_ONCE, len(bands) - 1)], rating):
            row.add(bool(white), games, higher, half_points)
    shown = [row for row in rows if row.all.games]
    return Calibration(category, total, [row for row in bands if row.all.games], shown, [*ratings.values()])


def _range(first: int, last: int) -> str:
    """Return the differences of some rows of table 4.2."""
    low, high = PD_ROWS[first].first, PD_ROWS[last].last
    return f"{low}–{high}" if high is not None else gettext("%(low)s or more") % {"low": low}
