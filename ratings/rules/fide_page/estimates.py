"""The FIDE formula page (``fide_rating_information.txt``): estimates by the logistic formula, nothing else.

The office rates nothing by it: RBB and B.02 take the expected score from table 4.2, and the formula rounded
to two places differs from that table at 460 of its 736 differences.

Exactness: an expected score is kept to thirty places as a whole number, computed in a Decimal context of its
own and therefore the same on every machine. Sums and changes are whole numbers too, rounded half up once,
where they leave this module, to the two decimals that the page uses. Whatever the games, a whole K times such
a sum is no half of a hundredth, so that the thirty places decide every rounding.

Ratings are given in whole points; ratings, changes and expected scores are returned in hundredths; scores
are half points (0, 1, 2 a game).

Readings where the page is open: D is not cut off at 400 points, and age plays no part, because the page says
neither. K is chosen once for all the games, from the rating and the games before them: a player who has fewer
than 30 has 40, even from 2400 up. The page's "70 % ≈ +120" is not what FIDE's table 4.1 gives (149):
performance is by the table.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context
from enum import Enum
from typing import Final, NamedTuple

from ratings.rules.b02.time_controls import Chapter
from ratings.rules.rounding import divide_half_up
from ratings.rules.tables import DP
from ratings.rules.time_controls import Control
from ratings.rules.units import HalfPoints, Hundredths, Points

K_NEW: Final = 40
K_UNDER_2400: Final = 20
K_FROM_2400: Final = 10

NEW_PLAYER_GAMES: Final = 30
"""Rule 6: fewer rated games make a rating provisional; the first thirty have K = 40."""

_HIGH_RATING: Final = Points(2400)

# A point of expected score, in parts.
_ONE: Final = 10**30

_DECIMAL: Final = Context(prec=50, rounding=ROUND_HALF_EVEN)


class KReason(Enum):
    """Reason for K."""

    NEW = "new"
    UNDER_2400 = "under-2400"
    FROM_2400 = "from-2400"
    BY_HAND = "by-hand"


class Unplayed(Enum):
    """Rule 3: why a game is not counted."""

    FORFEIT = "forfeit"
    BYE = "bye"


class Game(NamedTuple):
    """A pairing: the opponent's rating in points, and half points or why there was no game.

    ``opponent``: None only where there was no game.
    """

    opponent: Points | None
    result: HalfPoints | Unplayed


class GameEstimate(NamedTuple):
    """Effect of one game: D = own rating − opponent's in points, E and K × (S − E) in hundredths.

    All None where there was no game. The changes are rounded one by one; that of all games is rounded once.
    """

    game: Game
    difference: Points | None = None
    expected: Hundredths | None = None
    change: Hundredths | None = None


class Performance(NamedTuple):
    """Rp = Ra + Δ: ``average`` (Ra), ``rating`` (Rp) and ``p`` in hundredths, ``dp`` (Δ) in points."""

    average: Hundredths
    p: Hundredths
    dp: Points
    rating: Hundredths


class Estimate(NamedTuple):
    """Effect of all games together.

    ``counted``: the games that were played. ``expected``, ``change``: of them all, hundredths, rounded once.
    ``rating``: Rn in hundredths, the floor where ``floor_held``. ``performance``: None without a game.
    """

    games: tuple[GameEstimate, ...]
    k: int
    k_reason: KReason
    provisional: bool
    counted: int
    half_points: HalfPoints
    expected: Hundredths
    change: Hundredths
    rating: Hundredths
    floor_held: bool
    performance: Performance | None


def expected_score(difference: Points) -> Hundredths:
    """Return E for a player ``difference`` points above their opponent: 1 ÷ (1 + 10^(−D ÷ 400))."""
    return _hundredths(_expected(difference))


def change(difference: Points, half_points: HalfPoints, k: int) -> Hundredths:
    """Return K × (S − E) of one game."""
    return _hundredths(_change(_expected(difference), half_points, k))


def _expected(difference: int) -> int:
    """Return E in parts of a point. Those of two opponents make exactly one point."""
    if difference < 0:
        return _ONE - _expected(-difference)
    tenfold = _DECIMAL.power(10, _DECIMAL.divide(-difference, 400))
    return int(_DECIMAL.to_integral_value(_DECIMAL.divide(_ONE, _DECIMAL.add(1, tenfold))))


def _change(expected: int, half_points: int, k: int) -> int:
    return k * (half_points * _ONE // 2 - expected)


def _hundredths(parts: int) -> Hundredths:
    return Hundredths(divide_half_up(parts, _ONE // 100))


def k_factor(rating: Points, games: int) -> tuple[int, KReason]:
    """Return K and its reason for a rating and number of rated games: 40 under 30 games, then 20, or 10."""
    if games < NEW_PLAYER_GAMES:
        return K_NEW, KReason.NEW
    return (K_FROM_2400, KReason.FROM_2400) if rating >= _HIGH_RATING else (K_UNDER_2400, KReason.UNDER_2400)


def estimate(
    rating: Points, played: int, games: Sequence[Game], *, k: int | None = None, floor: Points | None = None
) -> Estimate:
    """Return Rn = Ro + K × (S − E) over these games; ``played``: the rated games before them.

    ``k``: chosen by hand. ``floor``, in points: a rating that had reached it does not fall under it (rule 5);
    one that had not is not raised. Raises ValueError for a game that was played against nobody.
    """
    used, reason = k_factor(rating, played) if k is None else (k, KReason.BY_HAND)
    seen = []
    counted = half_points = opponents = expected = 0
    for game in games:
        if isinstance(game.result, Unplayed):
            seen.append(GameEstimate(game))
            continue
        if game.opponent is None:
            raise ValueError("a game that was played needs the opponent’s rating")
        difference = Points(rating - game.opponent)
        parts = _expected(difference)
        amount = _hundredths(_change(parts, game.result, used))
        seen.append(GameEstimate(game, difference, _hundredths(parts), amount))
        counted += 1
        half_points += game.result
        opponents += game.opponent
        expected += parts
    total = _hundredths(_change(expected, half_points, used))
    computed = 100 * rating + total
    lowest = 100 * floor if floor is not None and rating >= floor else computed
    return Estimate(
        games=tuple(seen),
        k=used,
        k_reason=reason,
        provisional=played < NEW_PLAYER_GAMES,
        counted=counted,
        half_points=HalfPoints(half_points),
        expected=_hundredths(expected),
        change=total,
        rating=Hundredths(max(computed, lowest)),
        floor_held=computed < lowest,
        performance=performance(Points(opponents), counted, HalfPoints(half_points)) if counted else None,
    )


def performance(opponents: Points, games: int, half_points: HalfPoints) -> Performance:
    """Return Rp of a score against opponents whose ratings (points) add up to ``opponents``.

    Ra is rounded half up to 0.01; Δ is dp of table 4.1 for p, the score rounded half up to two places.
    """
    return performance_against(Hundredths(divide_half_up(100 * opponents, games)), games, half_points)


def performance_against(average: Hundredths, games: int, half_points: HalfPoints) -> Performance:
    """Return Rp of a score against opponents of this average Ra."""
    p = Hundredths(divide_half_up(50 * half_points, games))
    return Performance(average, p, DP[p], Hundredths(average + 100 * DP[p]))


def time_class(control: Control) -> Chapter | None:
    """Rule 4: standard above 60 minutes a player, rapid from 10 to 60, blitz from 3 to 10, nothing below.

    The page knows no increments: counted for 60 moves, as B.02 1.1 does. It puts 10 minutes into two classes:
    blitz, as in RBB 2.3.2. Exactly 60 are rapid.
    """
    seconds = control.initial + 60 * control.increment
    if seconds > 60 * 60:
        return Chapter.STANDARD
    if seconds > 10 * 60:
        return Chapter.RAPID
    return Chapter.BLITZ if seconds >= 3 * 60 else None
