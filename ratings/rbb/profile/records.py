"""A member's records in a category: runs, the largest gain, the busiest day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import groupby

from ratings.rbb.ledger.history import HistoryLine
from ratings.rbb.profile.results import games_of
from ratings.rules.rounding import points_or_none
from ratings.rules.units import LOSS, WIN


@dataclass(frozen=True, slots=True)
class Run:
    """Games in a row, from the first to the last one."""

    games: int
    first: HistoryLine
    last: HistoryLine


@dataclass(frozen=True, slots=True)
class Records:
    """A member's records. ``going_on``: the winning run in progress, if it has at least two games.

    ``gain``: the game with the largest gain; ``busiest``: a day (UTC) and its games. In a tie the first
    counts.
    """

    winning: Run | None
    unbeaten: Run | None
    going_on: Run | None
    gain: HistoryLine | None
    busiest: tuple[date, int] | None

    @property
    def most_gained(self) -> Decimal | None:
        """Points of the largest gain."""
        return self.gain and points_or_none(self.gain.change)


def records(steps: Sequence[HistoryLine]) -> Records:
    """Return the records in a category, from all lines there, in order."""
    games = games_of(steps)
    winning = _runs(games, lambda step: step.half_points == WIN)
    unbeaten = _runs(games, lambda step: step.half_points != LOSS)
    going_on = winning[-1] if winning and winning[-1].last is games[-1] else None
    days = Counter(step.day for step in games)
    return Records(
        max(winning, key=lambda run: run.games, default=None),
        max(unbeaten, key=lambda run: run.games, default=None),
        going_on if going_on and going_on.games > 1 else None,
        max(
            (step for step in games if step.change and step.change > 0),
            key=lambda step: step.change or 0,
            default=None,
        ),
        next(iter(days.most_common(1)), None),
    )


def _runs(games: Sequence[HistoryLine], goes_on: Callable[[HistoryLine], bool]) -> list[Run]:
    """Return every unbroken run of games for which ``goes_on`` is true, in order."""
    runs = [list(some) for is_run, some in groupby(games, goes_on) if is_run]
    return [Run(len(run), run[0], run[-1]) for run in runs]
