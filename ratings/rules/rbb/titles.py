"""FOA titles: how far a rating has been held, as progress only; the office awards nothing.

Not in the RBB regulations: the arena gives AGM, AIM, AFM and ACM to members who held a rating without a break
for so many rated games of one category. What is open there is read here as follows.

* What counts is the rating after each rated game: the exact one, as everywhere in RBB (3.1, and 3.2 for the
  floor). The displayed rating is only how it is shown (3.12): 1399.60 shows 1400 and is not 1400.
* A lower rating after a game breaks the run, and so does a game after which they are unrated.
* A game is rated for them if RBB 3.9 was applied to it, or if it left them with their first rating (3.7). The
  games before that left them unrated. One against an unrated opponent (3.8) is no part of a run and no break.
* An over-the-board adjustment (3.15) is no game: it is felt in the rating after the next one.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

TITLE_RATINGS: Final = {
    "AGM": Hundredths(2000_00),
    "AIM": Hundredths(1700_00),
    "AFM": Hundredths(1400_00),
    "ACM": Hundredths(1100_00),
}
"""The rating to hold for each title, highest first."""

GAMES_NEEDED: Final[dict[Category, int]] = {Category.RAPID: 50, Category.BLITZ: 100, Category.BULLET: 150}
"""Number of rated games for which the rating is to be held, by category."""


class TitleProgress(NamedTuple):
    """Progress of a member towards a title in a category, in rated games.

    ``current`` is the run that still goes on, ``best`` the longest there ever was; ``rating`` in hundredths.
    """

    title: str
    rating: Hundredths
    current: int
    best: int
    needed: int

    @property
    def held(self) -> bool:
        """True if the rating was ever held for as long as the title needs."""
        return self.best >= self.needed


def title_progress(category: Category, ratings: Iterable[Hundredths | None]) -> list[TitleProgress]:
    """Return the progress towards each title, highest first.

    ``ratings`` are those after each rated game of the category, in order, in hundredths; None while unrated.
    """
    after_games = list(ratings)
    return [
        TitleProgress(title, rating, *_runs(after_games, rating), GAMES_NEEDED[category])
        for title, rating in TITLE_RATINGS.items()
    ]


def _runs(ratings: list[Hundredths | None], least: Hundredths) -> tuple[int, int]:
    """Return how many ratings at the end, and how many in a row anywhere, are at least ``least``."""
    current = best = 0
    for rating in ratings:
        current = current + 1 if rating is not None and rating >= least else 0
        best = max(best, current)
    return current, best
