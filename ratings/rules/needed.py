"""The least score with which a player reaches a rating, found by trying scores with the rules themselves.

In RBB every game moves the rating from which the next one counts. So the order of the results matters, and
the more so the more games there are: an early win makes the later ones worth less. Two scores answer the
question: one that reaches the rating whatever the order, and one that reaches it in the best order.

They are found without trying every order. Of two ratings that a player can have after the same number of
games, the higher is never the lower one after one more game with the same result: they lie a multiple of
K / 100 points apart, and a row of table 4.2 is wider than that (the tests go through all differences). So for
each score only the lowest and the highest rating have to be played on. Where an edition of the office gives
players of different ratings a different K, or has two that don't divide each other, all ratings are played
on. A rating that is lost under the floor (3.3) counts as lower than any and is not played on, though a first
rating won after it may be higher.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ratings.rules.b02 import types as b02_types
from ratings.rules.b02.editions.b02_2009 import Edition, PeriodResults
from ratings.rules.fide_page import estimates
from ratings.rules.rbb.editions import PRINTED
from ratings.rules.rbb.editions import Edition as RbbEdition
from ratings.rules.rbb.rating import FLOOR, UNRATED, LedgerLine, open_rating, rate_game
from ratings.rules.rbb.what_if import best_first, outcomes
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths, Points

MOST_GAMES: Final = 100
"""Maximum number of games planned ahead; the work grows with the square of the games."""

MOST_GAMES_OF_ALL: Final = 10
"""Maximum number of games where all ratings have to be played on."""


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


def most_games(category: Category, standing: LedgerLine, edition: RbbEdition) -> int:
    """Return the maximum number of games for :func:`needed_in_rbb`."""
    return MOST_GAMES_OF_ALL if _may_overtake(category, standing, edition) else MOST_GAMES


def _may_overtake(category: Category, standing: LedgerLine, edition: RbbEdition) -> bool:
    """Return True if the lower of two ratings may be the higher one after the same result."""
    has_rules = any(category in rule.categories for rule in edition.k_rules)
    return has_rules or (standing.previously_unrated and edition.k_new % edition.k[category] != 0)


def needed_in_rbb(
    category: Category,
    standing: LedgerLine,
    opponents: Hundredths,
    games: int,
    target: Hundredths,
    edition: RbbEdition = PRINTED,
) -> Needed:
    """Return the score that takes a rated member to ``target`` or above it (RBB 3.9 to 3.11).

    ``opponents``: the rating of each of them, hundredths, as is ``target``. Break-even is what a target of
    the own rating needs. Raises ValueError for an unrated member, ratings under the floor, and fewer than 1
    or more than :func:`most_games` games.
    """
    if standing.rating is None:
        raise ValueError("an unrated member needs a first rating (RBB 3.6)")
    if target < FLOOR:
        raise ValueError("a target below the floor of 100.00 isn’t a rating (RBB 3.2)")
    _check(games, most_games(category, standing, edition))
    opponent = open_rating(UNRATED, opponents)
    follow_all = _may_overtake(category, standing, edition)
    by_score: list[dict[int, LedgerLine]] = [{standing.rating: standing}]
    for _ in range(games):
        by_score = _played(category, by_score, opponent, edition)
        if not follow_all:
            by_score = [{rating: lines[rating] for rating in (min(lines), max(lines))} for lines in by_score]
    return Needed(
        games,
        _least_of([min(lines) for lines in by_score], target),
        _least_of([max(lines) for lines in by_score], target),
        next(iter(by_score[-1].values())).rating,
    )


def _played(
    category: Category, by_score: Sequence[dict[int, LedgerLine]], opponent: LedgerLine, edition: RbbEdition
) -> list[dict[int, LedgerLine]]:
    """Return the lines after one more game by score and rating, 0 for one that is lost."""
    after: list[dict[int, LedgerLine]] = [{} for _ in range(len(by_score) + 2)]
    for before, lines in enumerate(by_score):
        for line in lines.values():
            for result in (LOSS, DRAW, WIN):
                lost = line.rating is None
                new = line if lost else rate_game(category, line, opponent, result, edition)[0]
                after[before + result][new.rating or 0] = new
    return after


def _least_of(ratings: Sequence[int], target: int) -> HalfPoints | None:
    """Return the least score from which on all ratings, by half points, reach the target."""
    below = [score for score, rating in enumerate(ratings) if rating < target]
    least = below[-1] + 1 if below else 0
    return HalfPoints(least) if least < len(ratings) else None


def needed_first_rating(
    standing: LedgerLine, opponents: Hundredths, target: Hundredths, edition: RbbEdition = PRINTED
) -> Needed:
    """Return the score in the games to go that gives a first rating of ``target`` (RBB 3.6, 3.7).

    ``opponents``: their average, hundredths, as is ``target``. The first result is not a loss, unless results
    count already (3.6.1); the order of the others does not matter.
    """
    if standing.rating is not None:
        raise ValueError("a rated member gets no first rating (RBB 3.6)")
    found = outcomes(standing, opponents, edition)
    least = _least_of([one.rating or 0 for one in found], max(target, FLOOR))
    return Needed(len(found) // 2, least, least, found[-1].rating)


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


def _check(games: int, most: int = MOST_GAMES) -> None:
    if not 1 <= games <= most:
        raise ValueError(f"{games} games: from 1 to {most}")
