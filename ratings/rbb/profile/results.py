"""A member's results in the ledger: won, drawn and lost, by month, by colour and strength, and records."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import chain, groupby, takewhile
from typing import Final, NamedTuple, TypeVar

from django.utils.translation import ngettext

from ratings.rbb.ledger.history import HistoryLine
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import divide_half_up, from_hundredths, points_or_none
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths

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


@dataclass(frozen=True, slots=True)
class Month:
    """A month (its first day) in which the member had an event.

    ``gains``: the change in each category with an event, from the last rating before the month, or the first
    one in it, to the last one; None if unrated at the end. ``often``: the most frequent opponent and the
    number of games against them, None if no opponent occurred twice.
    """

    first_day: date
    results: Results
    gains: list[tuple[Category, Decimal | None]]
    best_win: HistoryLine | None
    often: tuple[int, int] | None

    @property
    def best_win_rating(self) -> Decimal | None:
        """The rating of the opponent beaten in the best win, before that game."""
        return self.best_win and points_or_none(self.best_win.opponent_rating)


def months(steps: Sequence[HistoryLine]) -> list[Month]:
    """Return the months in which a member had any event, latest first."""
    ratings: dict[Category, Hundredths | None] = {}
    found = []
    for first_day, group in groupby(steps, key=lambda step: step.day.replace(day=1)):
        of_month = list(group)
        found.append(_month(first_day, of_month, ratings))
        ratings |= {step.category: step.after for step in of_month}
    return found[::-1]


def _month(first_day: date, steps: Iterable[HistoryLine], before: dict[Category, Hundredths | None]) -> Month:
    games = games_of(steps)
    met = Counter(step.opponent_id for step in games if step.opponent_id).most_common(1)
    return Month(
        first_day,
        results(games),
        [
            (category, _gain(before.get(category), of_category))
            for category, of_category in by_category(steps).items()
            if of_category
        ],
        best_win(games),
        next(((who, times) for who, times in met if times > 1), None),
    )


def _gain(before: Hundredths | None, steps: Sequence[HistoryLine]) -> Decimal | None:
    after = steps[-1].after
    if before is None:
        before = next((step.after for step in steps if step.after is not None), None)
    return None if before is None or after is None else from_hundredths(Hundredths(after - before))


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
