"""All figures on a member's pages that cover the whole ledger, with the standing in each category."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from ratings.rbb.ledger.history import HistoryLine
from ratings.rbb.models.editions import RuleEdition
from ratings.rbb.profile.results import (
    Month,
    Results,
    Statistics,
    Streak,
    by_category,
    frequent_opponents,
    games_of,
    months,
    statistics,
    streak,
)
from ratings.rules.rbb.editions import PRINTED, Edition
from ratings.rules.rbb.rating import FIRST_RATING_GAMES, Reason, k_article
from ratings.rules.rbb.titles import TitleProgress, title_progress
from ratings.rules.rounding import displayed, from_hundredths, points_or_none
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

FREQUENT_OPPONENTS: Final = 10


def titles(steps: dict[Category, list[HistoryLine]]) -> list[tuple[str, Decimal, list[TitleProgress]]]:
    """Return FOA titles, highest first, each with its rating and the progress in every category."""
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
    """Figures of a member's page from their whole ledger, at its last event.

    ``latest``: by category, the lines of the last 30 days and the one before them.
    """

    standings: list[ProfileStanding]
    statistics: list[Statistics]
    titles: list[tuple[str, Decimal, list[TitleProgress]]]
    opponents: list[tuple[int, Results]]
    months: list[Month]
    latest: dict[Category, Sequence[HistoryLine]]

    def standings_at(self, now: datetime) -> list[ProfileStanding]:
        """Return the standings at a later moment without new events: only the last 30 days change."""
        edition = RuleEdition.objects.editions().at(now)
        return [
            replace(
                found,
                lately=standing(found.category, self.latest[found.category], now).lately,
                edition=edition,
            )
            for found in self.standings
        ]

    def rating_at(self, category: Category, moment: datetime) -> Hundredths | None:
        """Return the rating in a category at a moment of the last 30 days; None if unrated."""
        lines = self.latest[category]
        number = bisect_right(lines, moment, key=lambda line: line.occurred_at)
        return lines[number - 1].after if number else None


def summary(steps: Sequence[HistoryLine], now: datetime) -> Summary:
    """Return all figures of a member's page, from their lines up to ``now``."""
    in_category = by_category(steps)
    return Summary(
        standings=[standing(category, in_category[category], now) for category in Category],
        statistics=[statistics(category, in_category[category]) for category in Category],
        titles=titles(in_category),
        opponents=frequent_opponents(games_of(steps), FREQUENT_OPPONENTS),
        months=months(steps),
        latest={category: latest(of_category, now) for category, of_category in in_category.items()},
    )


LATELY: Final = timedelta(days=30)
RECENT: Final = 50
"""Number of changes in the small chart beside a rating."""


@dataclass(frozen=True, slots=True)
class ProfileStanding:
    """A member's standing in a category after their last event there; ``last`` is None if there was none.

    ``results``: those of RBB 3.6, while they are unrated. ``lately``: the change in the last 30 days;
    ``recent``: the ratings after the latest changes, in hundredths. ``edition``: that of RBB at that moment.
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
    streak: Streak | None = None
    lately: Decimal | None = None
    recent: tuple[Hundredths, ...] = ()
    edition: Edition = PRINTED

    @property
    def k(self) -> int | None:
        """RBB 3.10: K of the next game; None while unrated."""
        if self.last is None or self.last.after is None:
            return None
        return self.edition.k_for(
            self.category, self.last.after, self.last.games, self.last.previously_unrated
        )

    @property
    def k_article(self) -> str:
        """The paragraph that gives K; empty while unrated."""
        return "" if self.k is None else k_article(self.category, self.k, self.edition)

    @property
    def k_games(self) -> int | None:
        """The number of games to which K for new players still applies; None if it doesn't."""
        last = self.last
        if last is None or last.after is None or not last.previously_unrated:
            return None
        left = self.edition.new_games - last.games
        return left if left > 0 and self.k == self.edition.k_new else None

    @property
    def k_since(self) -> datetime | None:
        """The day of the edition that gives K; None: the printed regulations do."""
        last = self.last
        if last is None or last.after is None:
            return None
        by = self.edition.why_k(self.category, last.after, last.games, last.previously_unrated).by
        return None if by is None else by.since


def standing(category: Category, steps: Sequence[HistoryLine], now: datetime) -> ProfileStanding:
    """Return the standing in a category, from all lines there up to ``now``."""
    if not steps:
        return ProfileStanding(category)
    last = steps[-1]
    peak = max((step.after for step in steps if step.after is not None), default=None)
    found = ProfileStanding(
        category,
        last,
        peak=points_or_none(peak),
        peak_step=next((step for step in steps if peak is not None and step.after == peak), None),
        streak=streak(steps),
    )
    if last.after is None:
        # Five results that gave less than the floor are forgotten at the next game that counts (RBB 3.7,
        # 3.2).
        return replace(found, results=last.games % FIRST_RATING_GAMES)
    before = latest(steps, now)[0].after if steps[0].occurred_at <= now - LATELY else None
    return replace(
        found,
        rating=from_hundredths(last.after),
        shown=displayed(last.after),
        games=last.games,
        recent=tuple(step.after for step in steps if step.change and step.after is not None)[-RECENT:],
        lately=None if before is None else from_hundredths(Hundredths(last.after - before)),
    )


def latest(steps: Sequence[HistoryLine], now: datetime) -> Sequence[HistoryLine]:
    """Return the lines of the last 30 days, and the one before them."""
    # Not now - LATELY: a page may request the first days of the year 1.
    then = bisect_right(steps, now, key=lambda step: step.occurred_at + LATELY)
    return steps[max(then - 1, 0) :]
