"""The least score with which a player reaches a rating, found by trying scores with the rules themselves.

In RBB every game moves the rating from which the next one counts. So the order of the results matters, and
the more so the more games there are: an early win makes the later ones worth less. Two scores answer the
question: one that reaches the rating whatever the order, and one that reaches it in the best order.

They are found without trying every order. Of two ratings that a player can have after the same number of
games, the higher is never the lower one after one more game with the same result: they lie a multiple of
K / 100 points apart, and a row of table 4.2 is wider than that (the tests go through all differences). So for
each score only the lowest and the highest rating have to be played on. A rating that is lost under the floor
(3.3) counts as lower than any and is not played on, though a first rating won after it may be higher.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ratings.rules.b02 import types as b02_types
from ratings.rules.b02.editions.b02_2009 import Edition, PeriodResults
from ratings.rules.fide_page import estimates
from ratings.rules.rbb.rating import FLOOR, UNRATED, LedgerLine, open_rating, rate_game
from ratings.rules.rbb.what_if import best_first, outcomes
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths, Points

MOST_GAMES: Final = 100
"""Maximum number of games planned ahead; the work grows with the square of the games."""


class Needed(NamedTuple):
    """The least score over ``games`` that reaches a rating.

    ``half_points``: enough in whatever order the results come; None: all games won are not enough.
    ``in_best_order``: enough if the results come in the best order; the same where the order does not matter.
    ``most``: the rating after a win in every game, hundredths; None: unrated even then.
    """

    games: int
    half_points: HalfPoints | None
    in_best_order: HalfPoints | None
    most: Hundredths | None


def needed_in_rbb(
    category: Category, standing: LedgerLine, opponents: Hundredths, games: int, target: Hundredths
) -> Needed:
    """Return the score that takes a rated member to ``target`` or above it (RBB 3.9 to 3.11).

    ``opponents``: the rating of each of them, hundredths, as is ``target``. Break-even is what a target of
    the own rating needs. Raises ValueError for an unrated member, ratings under the floor, and fewer than 1
    or more than :data:`MOST_GAMES` games.
    """
    if standing.rating is None:
        raise ValueError("an unrated member needs a first rating (RBB 3.6)")
    if target < FLOOR:
        raise ValueError("a target below the floor of 100.00 isn't a rating (RBB 3.2)")
    _check(games)
    opponent = open_rating(UNRATED, opponents)
    lowest = highest = [standing]
    for _ in range(games):
        lowest = [min(after, key=_rating) for after in _played(category, lowest, opponent)]
        highest = [max(after, key=_rating) for after in _played(category, highest, opponent)]
    return Needed(
        games,
        _least(2 * games, target, lambda half_points: _rating(lowest[half_points])),
        _least(2 * games, target, lambda half_points: _rating(highest[half_points])),
        lowest[-1].rating,
    )


def _played(category: Category, lines: Sequence[LedgerLine], opponent: LedgerLine) -> list[list[LedgerLine]]:
    """Return the lines that can lead to each score after one more game; ``lines``: by score before it."""
    after: list[list[LedgerLine]] = [[] for _ in range(len(lines) + 2)]
    for before, line in enumerate(lines):
        for result in (LOSS, DRAW, WIN):
            lost = line.rating is None
            after[before + result].append(line if lost else rate_game(category, line, opponent, result)[0])
    return after


def _rating(line: LedgerLine) -> int:
    return line.rating or 0


def needed_first_rating(standing: LedgerLine, opponents: Hundredths, target: Hundredths) -> Needed:
    """Return the score in the games to go that gives a first rating of ``target`` (RBB 3.6, 3.7).

    ``opponents``: their average, hundredths, as is ``target``. The first result is not a loss, unless results
    count already (3.6.1); the order of the others does not matter.
    """
    if standing.rating is not None:
        raise ValueError("a rated member gets no first rating (RBB 3.6)")
    found = outcomes(standing, opponents)
    most = len(found) - 1
    least = _least(most, max(target, FLOOR), lambda half_points: found[half_points].rating or 0)
    return Needed(most // 2, least, least, found[-1].rating)


def needed_in_b02(
    rating: Points,
    k: int,
    opponents: Points,
    games: int,
    target: Points,
    edition: Edition,
) -> Needed:
    """Return the score needed in one tournament against rated opponents, in points (2009: 8.5; 2024: 8.3)."""
    _check(games)
    players = [
        b02_types.Entrant(1, rating, k),
        *(b02_types.Entrant(2 + number, opponents, k) for number in range(games)),
    ]

    def after(half_points: HalfPoints) -> Points:
        rounds = [
            b02_types.Game(number, 1, 2 + number, result)
            for number, result in enumerate(best_first(half_points, games))
        ]
        tournament = b02_types.TournamentToRate(b02_types.TournamentType.SWISS, players, rounds)
        (stage,) = edition.rate([tournament])
        found = stage.rating.results[0]
        total = PeriodResults(
            k, found.rated_games, found.change or Hundredths(0), found.delta or Hundredths(0)
        )
        return edition.new_rating(rating, [edition.period_change(total)])

    least = _least(2 * games, target, after)
    return Needed(games, least, least, Hundredths(100 * after(HalfPoints(2 * games))))


def needed_by_formula(
    rating: Points, k: int, opponents: Points, games: int, target: Points, floor: Points | None = None
) -> Needed:
    """Return the score needed by FIDE's formula page: ratings in points, the new one to two decimals."""
    _check(games)

    def after(half_points: HalfPoints) -> Hundredths:
        results = [estimates.Game(opponents, result) for result in best_first(half_points, games)]
        return estimates.estimate(rating, 0, results, k=k, floor=floor).rating

    least = _least(2 * games, 100 * target, after)
    return Needed(games, least, least, after(HalfPoints(2 * games)))


def _least(most: int, target: int, rating_after: Callable[[HalfPoints], int]) -> HalfPoints | None:
    """Return the least score up to ``most`` half points that reaches the target; higher is never worse."""
    scores = [HalfPoints(score) for score in range(most + 1)]
    least = bisect_left(scores, target, key=rating_after)
    return scores[least] if least <= most else None


def _check(games: int) -> None:
    if not 1 <= games <= MOST_GAMES:
        raise ValueError(f"{games} games: from 1 to {MOST_GAMES}")
