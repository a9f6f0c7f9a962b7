"""Games won, drawn and lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import takewhile
from typing import Final, NamedTuple, TypeVar

from django.utils.translation import ngettext

from ratings.rbb.ledger.history import HistoryLine
from ratings.rules.rounding import divide_half_up
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints

K = TypeVar("K")

_STREAK: Final = 3
"""Minimum number of games in a streak that is shown."""


@dataclass(frozen=True, slots=True)
class Results:
    """Games won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def not_lost(self) -> int:
        return self.won + self.drawn

    @property
    def score(self) -> Decimal:
        """The score in points; a draw is half a point."""
        return Decimal(2 * self.won + self.drawn) / 2

    @property
    def percent(self) -> Decimal | None:
        """The score in per cent of the games, to one decimal, half up."""
        if not self.games:
            return None
        return Decimal(divide_half_up(500 * (2 * self.won + self.drawn), self.games)).scaleb(-1)


@dataclass(frozen=True, slots=True)
class ResultsByColour:
    """Results with White, with Black and together."""

    white: Results
    black: Results
    both: Results


class Streak(NamedTuple):
    """The latest results, as long as they are equal: ``half_points`` each, and the number of games."""

    half_points: HalfPoints
    games: int

    @property
    def text(self) -> str:
        """A text on three or more games; empty for fewer."""
        if self.games < _STREAK:
            return ""
        texts = {
            WIN: ngettext("%d win in a row", "%d wins in a row", self.games),
            DRAW: ngettext("%d draw in a row", "%d draws in a row", self.games),
            LOSS: ngettext("%d loss in a row", "%d losses in a row", self.games),
        }
        return texts[self.half_points] % self.games


def streak(steps: Sequence[HistoryLine]) -> Streak:
    """Return the length of the present series of equal results."""
    results = [step.half_points for step in reversed(steps) if step.half_points is not None]
    if not results:
        return Streak(LOSS, 0)
    return Streak(results[0], len(list(takewhile(results[0].__eq__, results))))


def by_category(steps: Iterable[HistoryLine]) -> dict[Category, list[HistoryLine]]:
    """Return the steps of each of the three categories."""
    found: dict[Category, list[HistoryLine]] = {category: [] for category in Category}
    for step in steps:
        found[step.category].append(step)
    return found


def best_win(games: Iterable[HistoryLine]) -> HistoryLine | None:
    """Return the win against the opponent rated highest before the game; in a tie the first."""
    wins = (step for step in games if step.half_points == WIN and step.opponent_rating is not None)
    return max(wins, key=lambda step: step.opponent_rating or 0, default=None)


def games_of(steps: Iterable[HistoryLine]) -> list[HistoryLine]:
    """Return the games among these steps."""
    return [step for step in steps if step.half_points is not None]


def results(games: Iterable[HistoryLine]) -> Results:
    return _results(Counter(step.half_points for step in games))


def results_by_key(rows: Iterable[tuple[K, int, int]]) -> dict[K, Results]:
    """Return results by key, from rows of a key, a score in half points and the number of such games."""
    found: defaultdict[K, Counter[int | None]] = defaultdict(Counter)
    for key, half_points, number in rows:
        found[key][half_points] = number
    return {key: _results(by_score) for key, by_score in found.items()}


def _results(by_score: Counter[int | None]) -> Results:
    return Results(won=by_score[WIN], drawn=by_score[DRAW], lost=by_score[LOSS])


def results_by_colour(games: Sequence[HistoryLine]) -> ResultsByColour:
    return ResultsByColour(
        white=results(step for step in games if not step.black),
        black=results(step for step in games if step.black),
        both=results(games),
    )


def frequent_opponents(games: Sequence[HistoryLine], most: int) -> list[tuple[int, Results]]:
    """Return the most frequent opponents with the results; in a tie, those met first."""
    frequent = Counter(step.opponent_id for step in games if step.opponent_id).most_common(most)
    return [(who, results(step for step in games if step.opponent_id == who)) for who, _ in frequent]
