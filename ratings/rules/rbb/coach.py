"""RBB 3.6, 3.7: what every score in the games that are still missing would give an unrated member.

Nothing is computed here: the games are played with the rules, from where they stand.
"""

from typing import NamedTuple

from ratings.rules.rbb.rating import FIRST_RATING_GAMES, LedgerLine, Reason, first_rating_article
from ratings.rules.rbb.what_if import Game, play
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths

# RBB 3.6 and 3.7 are the same in every category, and an unrated player's game knows no K.
_ANY = Category.RAPID


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


def outcomes(standing: LedgerLine, opponents: Hundredths) -> list[Outcome]:
    """Return the outcome of every score over the games to go, lowest first; ``opponents``: hundredths.

    The best results come first, because RBB 3.6.1 forgets losses before the first draw or win: without one
    there is no first rating. Raises ValueError for opponents under the floor, who would be unrated.
    """
    to_go = games_to_go(standing)
    found = []
    for half_points in map(HalfPoints, range(2 * to_go + 1)):
        games = [Game(opponents, result) for result in best_first(half_points, to_go)]
        line = play(_ANY, standing, games)[-1]
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
