"""RBB "what if": games that were not played, taken in order with the steps of the office itself.

A standing is the last :class:`LedgerLine` of a member, :data:`UNRATED`, or what :func:`open_rating` of
:mod:`ratings.rules.rbb.rating` makes of a typed rating. The results are lines too, with the fields
of a row of the ledger, so that they can be explained as such a row is.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ratings.rules.rbb.rating import UNRATED, LedgerLine, open_rating, rate_game
from ratings.rules.rbb.titles import TITLE_RATINGS
from ratings.rules.time_controls import Category
from ratings.rules.units import HalfPoints, Hundredths


class Game(NamedTuple):
    """A game to come: the opponent's rating in hundredths, None for an unrated one, and own half points."""

    opponent: Hundredths | None
    half_points: HalfPoints


class TitlesCrossed(NamedTuple):
    """The titles whose rating a step reached, or went below, highest first."""

    reached: tuple[str, ...]
    left: tuple[str, ...]


def play(category: Category, standing: LedgerLine, games: Iterable[Game]) -> list[LedgerLine]:
    """Return the line after each game, in order (RBB 3.6 to 3.11).

    Raises ValueError for an opponent under the floor, who would be unrated (3.2).
    """
    lines = []
    for opponent, half_points in games:
        against = UNRATED if opponent is None else open_rating(UNRATED, opponent)
        standing, _ = rate_game(category, standing, against, half_points)
        lines.append(standing)
    return lines


def titles_crossed(line: LedgerLine) -> TitlesCrossed:
    """Return the FOA titles whose rating lies between the exact ratings before and after this step.

    Unrated is below all of them. To hold the rating for a title takes more: :mod:`ratings.rules.rbb.titles`.
    """
    before, after = line.before or 0, line.rating or 0
    return TitlesCrossed(
        tuple(title for title, rating in TITLE_RATINGS.items() if before < rating <= after),
        tuple(title for title, rating in TITLE_RATINGS.items() if after < rating <= before),
    )
