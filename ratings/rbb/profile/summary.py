"""All figures on a member's pages that cover the whole ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from ratings.rbb.ledger.history import HistoryLine
from ratings.rbb.profile.months import Month, months
from ratings.rbb.profile.results import Results, by_category, frequent_opponents, games_of
from ratings.rbb.profile.standings import Standing, latest, standing
from ratings.rbb.profile.statistics import Statistics, statistics
from ratings.rules.rbb.rating import Reason
from ratings.rules.rbb.titles import TitleProgress, title_progress
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category

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

    standings: list[Standing]
    statistics: list[Statistics]
    titles: list[tuple[str, Decimal, list[TitleProgress]]]
    opponents: list[tuple[int, Results]]
    months: list[Month]
    latest: dict[Category, Sequence[HistoryLine]]

    def standings_at(self, now: datetime) -> list[Standing]:
        """Return the standings at a later moment without new events: only the last 30 days change."""
        return [
            replace(found, lately=standing(found.category, self.latest[found.category], now).lately)
            for found in self.standings
        ]


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
