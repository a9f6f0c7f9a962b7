"""Results in a category: by colour, by the opponents' strength, and compared with expectation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Final

from ratings.rbb.ledger.history import HistoryLine
from ratings.rbb.profile.records import Records, records
from ratings.rbb.profile.results import ResultsByColour, best_win, games_of, results, results_by_colour
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import from_hundredths, points_or_none
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

BAND: Final = 200
"""Width of a band in points."""

_UNCOUNTED: Final = frozenset({Reason.OPPONENT_UNRATED, Reason.BOTH_UNRATED, Reason.LOSS_FORGOTTEN})


@dataclass(frozen=True, slots=True)
class Band:
    """Games of RBB 3.9 against opponents in a band, and the score expected by table 4.2.

    ``lowest`` to ``highest`` are whole points of the exact rating: 1400 to 1599 means 1400.00 to 1599.99.
    """

    lowest: int
    highest: int
    games: int
    score: Decimal
    expected: Decimal

    @property
    def difference(self) -> Decimal:
        return self.score - self.expected

    @property
    def scored_share(self) -> int:
        """The score as a share of the games, in half per cent."""
        return int(200 * self.score / self.games)

    @property
    def expected_share(self) -> int:
        """The expected score as a share of the games, in half per cent."""
        return int(200 * self.expected / self.games)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Results of a member in a category. ``bands``: highest first; ``against_all``: their total.

    ``uncounted``: games that count neither for the rating nor towards a first one (RBB 3.6.1, 3.6.2, 3.8).
    """

    category: Category
    results: ResultsByColour
    best_win: HistoryLine | None
    bands: list[Band]
    against_all: Band | None
    uncounted: int
    records: Records

    @property
    def best_win_rating(self) -> Decimal | None:
        """The rating of the highest-rated opponent they have beaten, before that game."""
        return self.best_win and points_or_none(self.best_win.opponent_rating)


def statistics(category: Category, steps: Sequence[HistoryLine]) -> Statistics:
    """Return a member's statistics in a category, from all lines there."""
    games = games_of(steps)
    bands: dict[int, list[HistoryLine]] = {}
    for step in games:
        # RBB 3.9: only a game between two rated players has an expected score.
        if step.expected is not None and step.opponent_rating is not None:
            bands.setdefault(step.opponent_rating // (100 * BAND), []).append(step)
    return Statistics(
        category,
        results_by_colour(games),
        best_win(games),
        [_band(number, number, bands[number]) for number in sorted(bands, reverse=True)],
        _band(min(bands), max(bands), list(chain(*bands.values()))) if bands else None,
        sum(step.reason in _UNCOUNTED for step in games),
        records(steps),
    )


def _band(first: int, last: int, games: list[HistoryLine]) -> Band:
    return Band(
        lowest=first * BAND,
        highest=(last + 1) * BAND - 1,
        games=len(games),
        score=results(games).score,
        expected=from_hundredths(Hundredths(sum(step.expected or 0 for step in games))),
    )
