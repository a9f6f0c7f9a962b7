"""The BAL's rating cycle: the input of a cycle and its results, as the rules take and return them.

Ratings before and after a cycle are hundredths of a point; what lies between is exact, fractions in points.
Scores are half points (0, 1, 2 a game). Players are known by a number that the caller chooses.
"""

from enum import StrEnum
from fractions import Fraction
from typing import Final, NamedTuple

from ratings.rules.cited import Cited, _
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths, Points

_TEXT: Final = "So How Did I Get That Rating?"
_PROVISIONAL: Final = "Provisional Ratings Calculation"
_ESTABLISHED: Final = "Established Ratings Calculation"
_ADJUSTMENT: Final = "K-Adjustment"


class BoardResult(StrEnum):
    """The six results of a board, home player first; there are no others."""

    HOME = "1-0"
    DRAW = "1/2-1/2"
    AWAY = "0-1"
    HOME_FORFEIT = "+/-"
    AWAY_FORFEIT = "-/+"
    BOTH_FORFEIT = "-/-"

    @property
    def half_points(self) -> HalfPoints:
        """Half points of the home side."""
        return _HALF_POINTS[self][0]

    @property
    def away_half_points(self) -> HalfPoints:
        """Half points of the away side."""
        return _HALF_POINTS[self][1]

    @property
    def is_forfeit(self) -> bool:
        """True if the board wasn't played: it counts for the match, and never for ratings."""
        return self in (BoardResult.HOME_FORFEIT, BoardResult.AWAY_FORFEIT, BoardResult.BOTH_FORFEIT)


class MatchStage(StrEnum):
    """Places of a match in a season, play-offs in the order in which they are played."""

    SCHEDULE = ""
    PLAYOFF = "play-off"
    QUARTER_FINAL = "quarter-final"
    SEMI_FINAL = "semi-final"
    THIRD_PLACE = "third place"
    FINAL = "final"


_HALF_POINTS: Final = {
    BoardResult.HOME: (WIN, LOSS),
    BoardResult.DRAW: (DRAW, DRAW),
    BoardResult.AWAY: (LOSS, WIN),
    BoardResult.HOME_FORFEIT: (WIN, LOSS),
    BoardResult.AWAY_FORFEIT: (LOSS, WIN),
    BoardResult.BOTH_FORFEIT: (LOSS, LOSS),
}


def results_of(*, home: bool, away: bool) -> tuple[BoardResult, ...]:
    """Return the results that a board can have, by which sides have a player there.

    A board without a player isn't played, and the side without one can't win it against a player. Neither
    side may name one: a team that didn't come loses every board, whoever would have played.
    """
    if home and away:
        return tuple(BoardResult)
    forfeits = tuple(result for result in BoardResult if result.is_forfeit)
    if home == away:
        return forfeits
    return tuple(one for one in forfeits if not (one.half_points if away else one.away_half_points))


class _Cited(Cited):
    """Cited by the heading above it in the text, which has no numbers."""

    @property
    def sentence(self) -> str:
        """Heading and text, as pages and files show it."""
        return f"{self.article}: {self.text}"


class GameReason(_Cited):
    """Reason for the rating at which the opponent counted, or why the game doesn't count."""

    CYCLE_START = 1, _TEXT, _("opponent at their rating at the start of the cycle")
    CE_ASSUMED = 2, _TEXT, _("both players are new: opponent counts as 1300")
    CE_PERFORMANCE = 3, _TEXT, _("new opponent: at their performance rating in this cycle")
    FORFEIT = 4, _TEXT, _("forfeit: does not count")


class Formula(_Cited):
    """Formula for a new rating."""

    PERFORMANCE = 1, _PROVISIONAL, _("new player: the performance rating")
    PROVISIONAL = (
        2,
        _PROVISIONAL,
        _("provisional formula: too few games before the cycle for the established one"),
    )
    ESTABLISHED = 3, _ESTABLISHED, _("established formula: enough games before the cycle")
    NOTHING_COUNTED = 4, _TEXT, _("no games count: the rating does not change")
    STILL_NEW = 5, _TEXT, _("new player, and no games count: stays unrated")


class Crossing(_Cited):
    """Border that a new rating crossed, which decides how the part beyond it counts."""

    NONE = 1, _ADJUSTMENT, "no border crossed: no adjustment"
    ROSE_TO_2100 = 2, _ADJUSTMENT, "reached 2100 from below: × 0.75 above it"
    FELL_UNDER_2100 = 3, _ADJUSTMENT, "fell under 2100: × 1.33 below it"
    ROSE_OVER_2400 = 4, _ADJUSTMENT, "rose over 2400: × 0.66 above it"
    FELL_UNDER_2400 = 5, _ADJUSTMENT, "fell under 2400: × 1.50 below it"

    @property
    def border(self) -> Points | None:
        """The border, None if none was crossed."""
        return _BORDERS.get(self)

    @property
    def multiplier(self) -> Fraction:
        """Multiplier of the part of the rating beyond the border."""
        return _MULTIPLIERS[self]


_BORDERS: Final = {
    Crossing.ROSE_TO_2100: Points(2100),
    Crossing.FELL_UNDER_2100: Points(2100),
    Crossing.ROSE_OVER_2400: Points(2400),
    Crossing.FELL_UNDER_2400: Points(2400),
}
_MULTIPLIERS: Final = {
    Crossing.NONE: Fraction(1),
    Crossing.ROSE_TO_2100: Fraction(75, 100),
    Crossing.FELL_UNDER_2100: Fraction(133, 100),
    Crossing.ROSE_OVER_2400: Fraction(66, 100),
    Crossing.FELL_UNDER_2400: Fraction(150, 100),
}


class CyclePlayer(NamedTuple):
    """A player as the cycle finds them.

    ``rating``: hundredths; of a CE player None or their captain's estimate, which counts for nothing.
    ``games``: np, those that counted in earlier cycles. ``captains_estimate``: a CE player: new, without a
    game that has counted.
    """

    number: int
    rating: Hundredths | None
    games: int = 0
    captains_estimate: bool = False


class Game(NamedTuple):
    """A board of a match; the colours don't matter. None: the side had no player.

    ``result``: one of :class:`BoardResult`.
    """

    round: int
    home: int | None
    away: int | None
    result: str


class GameResult(NamedTuple):
    """A game as one player sees it; amounts in points, exact.

    ``opponent``: None where there was no player. ``half_points``: those of the player, of a forfeit too.
    ``opponent_rating``: Ro, as counted; None for a forfeit.
    ``bonus``: with the provisional formula, 400 × (W − L): 400, 0 or -400.
    ``difference``, ``expected``: with the established one, Δr and We.
    """

    round: int
    opponent: int | None
    half_points: HalfPoints
    reason: GameReason
    opponent_rating: Fraction | None = None
    bonus: Points | None = None
    difference: Fraction | None = None
    expected: Fraction | None = None


class CycleOutcome(NamedTuple):
    """Result of a cycle for one player; amounts in exact points, but ``old`` and ``new`` in hundredths.

    ``games``: all of theirs, by round. ``old``: RO, of a CE player 1300. ``games_before``: np.
    ``before_adjustment``: RN as the formula gives it; of a CE player what they count as for everybody else.
    ``after_adjustment``: RN after ``crossing``. ``new``: that, rounded half up; None if they stay unrated.
    ``counted``: nc, how many of their games count; ``half_points``: their in those; ``opponents``: ΣRo.
    ``bonus``: with the provisional formula, 400 × (ΣW − ΣL). ``k``, ``expected`` (ΣWe): with the established
    one.
    """

    number: int
    formula: Formula
    games: tuple[GameResult, ...]
    old: Hundredths
    games_before: int
    before_adjustment: Fraction
    crossing: Crossing
    after_adjustment: Fraction
    new: Hundredths | None
    counted: int = 0
    half_points: HalfPoints = HalfPoints(0)
    opponents: Fraction = Fraction(0)
    bonus: Points | None = None
    k: int | None = None
    expected: Fraction | None = None

    @property
    def gain(self) -> Fraction:
        """G, before the k adjustment."""
        return self.before_adjustment - Fraction(self.old, 100)

    @property
    def adjusted_gain(self) -> Fraction:
        return self.after_adjustment - Fraction(self.old, 100)

    @property
    def games_after(self) -> int:
        """Games before the next cycle (np)."""
        return self.games_before + self.counted
