"""What the ledger says about a member: where he stands, whom he beat, how far he is towards a title.

Pure: steps of the ledger go in, in the order of their events; numbers for a page come out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import chain
from typing import Final

from ratings.rules.rbb.steps import (
    FIRST_RATING_GAMES,
    K_PREVIOUSLY_UNRATED,
    PREVIOUSLY_UNRATED_GAMES,
    Line,
    Reason,
    k_article,
    k_factor,
)
from ratings.rules.rbb.titles import TitleProgress, title_progress
from ratings.rules.rounding import displayed, divide_half_up, from_hundredths, points_or_none
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN, Hundredths
from ratings.services.ledger.history import HistoryLine

LATELY: Final = timedelta(days=30)
BAND: Final = 200
"""Points."""
FREQUENT_OPPONENTS: Final = 10


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a member stands in a category after his last event there; ``last`` is None if there was none.

    ``results`` of RBB 3.6 count while he is unrated. ``lately`` is the change in the last 30 days. RBB 3.10:
    ``k`` is that of his next game and holds for ``k_games`` more games, None where it holds for ever.
    """

    category: Category
    last: HistoryLine | None = None
    rating: Decimal | None = None
    shown: int | None = None
    games: int = 0
    results: int = 0
    results_needed: int = FIRST_RATING_GAMES
    peak: Decimal | None = None
    peak_step: HistoryLine | None = None
    lately: Decimal | None = None
    k: int | None = None
    k_article: str = ""
    k_games: int | None = None


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
    def score(self) -> Decimal:
        """In points, a draw half of one."""
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


@dataclass(frozen=True, slots=True)
class Band:
    """Games of RBB 3.9 against opponents of a band, and the score expected by table 4.2.

    ``lowest`` to ``highest`` in whole points of the exact rating: 1400 to 1599 is 1400.00 to 1599.99.
    """

    lowest: int
    highest: int
    games: int
    score: Decimal
    expected: Decimal

    @property
    def difference(self) -> Decimal:
        return self.score - self.expected


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a member did in a category. ``bands`` come highest first, ``against_all`` is their sum."""

    category: Category
    results: ResultsByColour
    best_win: HistoryLine | None
    bands: list[Band]
    against_all: Band | None

    @property
    def best_win_rating(self) -> Decimal | None:
        """The rating of the highest-rated opponent he beat, as it stood before that game."""
        return self.best_win and points_or_none(self.best_win.opponent_rating)


def by_category(steps: Iterable[HistoryLine]) -> dict[Category, list[HistoryLine]]:
    """The steps of each of the three categories."""
    found: dict[Category, list[HistoryLine]] = {category: [] for category in Category}
    for step in steps:
        found[step.category].append(step)
    return found


def games_of(steps: Iterable[HistoryLine]) -> list[HistoryLine]:
    """The games among these steps."""
    return [step for step in steps if step.half_points is not None]


def standing(category: Category, steps: Sequence[HistoryLine], now: datetime) -> Standing:
    """Where he stands in a category, from his steps there up to ``now``."""
    if not steps:
        return Standing(category)
    last = steps[-1]
    peak = max((step.after for step in steps if step.after is not None), default=None)
    found = Standing(
        category,
        last,
        peak=points_or_none(peak),
        peak_step=next((step for step in steps if peak is not None and step.after == peak), None),
    )
    if last.after is None:
        # Five results that gave less than the floor are forgotten when the next game counts (RBB 3.7, 3.2).
        return replace(found, results=last.games % FIRST_RATING_GAMES)
    k = k_factor(category, Line(games=last.games, previously_unrated=last.previously_unrated))
    before = _lately(steps, now)[0].after if steps[0].occurred_at <= now - LATELY else None
    return replace(
        found,
        rating=from_hundredths(last.after),
        shown=displayed(last.after),
        games=last.games,
        lately=None if before is None else from_hundredths(Hundredths(last.after - before)),
        k=k,
        k_article=k_article(category, k),
        k_games=PREVIOUSLY_UNRATED_GAMES - last.games if k == K_PREVIOUSLY_UNRATED else None,
    )


def _lately(steps: Sequence[HistoryLine], now: datetime) -> Sequence[HistoryLine]:
    """The steps of the last 30 days, and the one before them."""
    # Not now - LATELY: a page may ask for the first days of the year 1.
    then = bisect_right(steps, now, key=lambda step: step.occurred_at + LATELY)
    return steps[max(then - 1, 0) :]


def statistics(category: Category, steps: Iterable[HistoryLine]) -> Statistics:
    """What he did in a category, from his steps there."""
    games = games_of(steps)
    wins = [step for step in games if step.half_points == WIN and step.opponent_rating is not None]
    bands: dict[int, list[HistoryLine]] = {}
    for step in games:
        # RBB 3.9: only a game between two rated players has an expected score.
        if step.expected is not None and step.opponent_rating is not None:
            bands.setdefault(step.opponent_rating // (100 * BAND), []).append(step)
    return Statistics(
        category,
        results_by_colour(games),
        max(wins, key=lambda step: step.opponent_rating or 0, default=None),
        [_band(number, number, bands[number]) for number in sorted(bands, reverse=True)],
        _band(min(bands), max(bands), list(chain(*bands.values()))) if bands else None,
    )


def results(games: Iterable[HistoryLine]) -> Results:
    by_score = Counter(step.half_points for step in games)
    return Results(won=by_score[WIN], drawn=by_score[DRAW], lost=by_score[LOSS])


def results_by_colour(games: Sequence[HistoryLine]) -> ResultsByColour:
    return ResultsByColour(
        white=results(step for step in games if not step.black),
        black=results(step for step in games if step.black),
        both=results(games),
    )


def frequent_opponents(games: Sequence[HistoryLine], most: int) -> list[tuple[int, Results]]:
    """Whom he met most often, and with what results; of equally frequent ones whom he met first."""
    frequent = Counter(step.opponent_id for step in games if step.opponent_id).most_common(most)
    return [(who, results(step for step in games if step.opponent_id == who)) for who, _ in frequent]


def titles(steps: dict[Category, list[HistoryLine]]) -> list[tuple[str, Decimal, list[TitleProgress]]]:
    """FOA titles, highest first, each with its rating and the progress in every category."""
    progress = [
        title_progress(
            category,
            (step.after for step in games_of(steps[category]) if step.reason != Reason.OPPONENT_UNRATED),
        )
        for category in Category
    ]
    return [
        (of_title[0].title, from_hundredths(of_title[0].rating), list(of_title))
        for of_title in zip(*progress, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a member's page counts over their whole ledger, as of the last event in it.

    ``latest``: by category, the steps of the last 30 days and the one before them.
    """

    standings: list[Standing]
    statistics: list[Statistics]
    titles: list[tuple[str, Decimal, list[TitleProgress]]]
    opponents: list[tuple[int, Results]]
    latest: dict[Category, Sequence[HistoryLine]]

    def standings_at(self, now: datetime) -> list[Standing]:
        """The standings at a later moment without any event in between: the last 30 days have moved on."""
        return [
            replace(found, lately=standing(found.category, self.latest[found.category], now).lately)
            for found in self.standings
        ]


def summary(steps: Sequence[HistoryLine], now: datetime) -> Summary:
    """Everything that the page of a member counts, from their steps up to ``now``."""
    in_category = by_category(steps)
    return Summary(
        standings=[standing(category, in_category[category], now) for category in Category],
        statistics=[statistics(category, in_category[category]) for category in Category],
        titles=titles(in_category),
        opponents=frequent_opponents(games_of(steps), FREQUENT_OPPONENTS),
        latest={category: _lately(of_category, now) for category, of_category in in_category.items()},
    )


def chart(steps: Iterable[HistoryLine]) -> dict[str, dict[str, list[int | None]]]:
    """The lines to draw: for each category moments (seconds, UTC), numbers of games and ratings (hundredths).

    A point for each time the rating moved, was lost (None) or came back, and one for the last event.
    """
    lines: dict[str, dict[str, list[int | None]]] = {}
    for category, of_category in by_category(steps).items():
        moments: list[int | None] = []
        numbers: list[int | None] = []
        ratings: list[int | None] = []
        games = 0
        rating = None
        for step in of_category:
            games += step.half_points is not None
            if step.after != rating or step is of_category[-1]:
                rating = step.after
                moments.append(int(step.occurred_at.timestamp()))
                numbers.append(games)
                ratings.append(rating)
        lines[category.slug] = {"moments": moments, "games": numbers, "ratings": ratings}
    return lines


def _band(first: int, last: int, games: list[HistoryLine]) -> Band:
    return Band(
        lowest=first * BAND,
        highest=(last + 1) * BAND - 1,
        games=len(games),
        score=results(games).score,
        expected=from_hundredths(Hundredths(sum(step.expected or 0 for step in games))),
    )
