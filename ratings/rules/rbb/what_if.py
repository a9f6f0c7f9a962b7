"""RBB "what if": games that were not played, taken in order with the steps of the office itself.

A standing is the last :class:`LedgerLine` of a member, :data:`UNRATED`, or what :func:`open_rating` of
:mod:`ratings.rules.rbb.rating` makes of a typed rating. The results are lines too, with the fields
of a row of the ledger, so that they can be explained as such a row is.

For an unrated member, each score in the games that are missing gives a first rating, or none (3.6, 3.7).
"""

from collections.abc import Iterable
from typing import NamedTuple

from ratings.rules.rbb.editions import PRINTED, Edition
from ratings.rules.rbb.rating import (
    FIRST_RATING_GAMES,
    UNRATED,
    LedgerLine,
    Reason,
    first_rating_article,
    open_rating,
    rate_game,
)
from ratings.rules.rbb.titles import TITLE_RATINGS
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths

# RBB 3.6 and 3.7 are the same in every category, and an unrated player's game knows no K.
_ANY = Category.RAPID


class NextGame(NamedTuple):
    """A game to come: the opponent's rating in hundredths, None for an unrated one, and own half points."""

    opponent: Hundredths | None
    half_points: HalfPoints


class TitlesCrossed(NamedTuple):
    """The titles whose rating a step reached, or went below, highest first."""

    reached: tuple[str, ...]
    left: tuple[str, ...]


def play(
    category: Category, standing: LedgerLine, games: Iterable[NextGame], edition: Edition = PRINTED
) -> list[LedgerLine]:
    """Return the line after each game, in order (RBB 3.6 to 3.11).

    Raises ValueError for an opponent under the floor, who would be unrated (3.2).
    """
    lines = []
    for opponent, half_points in games:
        against = UNRATED if opponent is None else open_rating(UNRATED, opponent)
        standing, _ = rate_game(category, standing, against, half_points, edition)
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


class Outcome(NamedTuple):
    """A score in half points over the games to go, Rf in hundredths (None: still unrated), its article."""

    half_points: HalfPoints
    rating: Hundredths | None
    article: str


def games_to_go(standing: LedgerLine) -> int:
    """Return how many results an unrated member still needs for a first rating, 1 to 5 (RBB 3.6).

    Five results that gave less than the floor are none (3.2): they begin again.
    """
    return FIRST_RATING_GAMES - standing.games % FIRST_RATING_GAMES


def outcomes(standing: LedgerLine, opponents: Hundredths, edition: Edition = PRINTED) -> list[Outcome]:
    """Return the outcome of every score over the games to go, lowest first; ``opponents``: hundredths.

    The best results come first, because RBB 3.6.1 forgets losses before the first draw or win: without one
    there is no first rating. Raises ValueError for opponents under the floor, who would be unrated.
    """
    to_go = games_to_go(standing)
    found = []
    for half_points in map(HalfPoints, range(2 * to_go + 1)):
        games = [NextGame(opponents, result) for result in best_first(half_points, to_go)]
        line = play(_ANY, standing, games, edition)[-1]
        found.append(Outcome(half_points, line.rating, _article(line)))
    return found


def best_first(half_points: HalfPoints, games: int) -> list[HalfPoints]:
    """Return wins, then perhaps a draw, then losses that make up this score."""
    wins, draws = divmod(half_points, 2)
    return [WIN] * wins + [DRAW] * draws + [LOSS] * (games - wins - draws)


def _article(line: LedgerLine) -> str:
    if line.reason == Reason.LOSS_FORGOTTEN:
        return Reason.LOSS_FORGOTTEN.article
    if line.reason == Reason.FIRST_RATING_BELOW_FLOOR:
        return "3.2"
    return first_rating_article(line.first_half_points)
