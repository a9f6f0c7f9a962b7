"""A member's months: events, gains and opponents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import groupby

from ratings.rbb.ledger.history import HistoryLine
from ratings.rbb.profile.results import Results, best_win, by_category, games_of, results
from ratings.rules.rounding import from_hundredths, points_or_none
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths


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
