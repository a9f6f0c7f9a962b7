"""The rating cycle of the BAL, a team league: players at its start and its games in, new ratings out.

From “So How Did I Get That Rating?”. A cycle is one batch: first the performance ratings of the new players
with a captain's estimate (CE), then everybody else.

Nothing is rounded but the new rating, at the end. An expected score is irrational unless the difference is a
multiple of 400: it is kept to 50 digits, and those of the two sides of a game add up to exactly 1, so that
sums that are even are even here. The readings of the text are beside what they concern.

Ratings before and after a cycle are hundredths of a point; what lies between is exact, fractions in points.
Scores are half points (0, 1, 2 a game). Players are known by a number that the caller chooses.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Context
from enum import StrEnum
from fractions import Fraction
from typing import Final, NamedTuple

from ratings.rules.cited import Cited, _
from ratings.rules.rounding import divide_half_up
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

    CYCLE_START = 1, _TEXT, _("opponent’s rating at the start of the cycle")
    CE_ASSUMED = 2, _TEXT, _("both players are new: the opponent counts as 1300")
    CE_PERFORMANCE = 3, _TEXT, _("new opponent’s performance rating in this cycle")
    FORFEIT = 4, _TEXT, _("forfeit: does not count")


class Formula(_Cited):
    """Formula for a new rating."""

    PERFORMANCE = 1, _PROVISIONAL, _("new player: the performance rating")
    PROVISIONAL = (
        2,
        _PROVISIONAL,
        _("provisional formula: too few games before the cycle for the established formula"),
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


CE_RATING: Final = Hundredths(1300_00)
"""Assumed rating of a new player, on zero games, whatever their captain estimates. Hundredths."""

PROVISIONAL_LIMIT: Final = 20
"""Games before the cycle that make a rating established.

An assumption, and a setting of the league: the text names no number. 20 is that of the old USCF system, whose
formula it prints.
"""

_PER_WIN: Final = Points(400)
"""Provisional formula: points for each win more than there are losses."""

_DIGITS: Final = Context(prec=50)


def expected_score(difference: Fraction) -> Fraction:
    """Return We = 1 ÷ (1 + 10^(-Δr ÷ 400)) for a player ``difference`` points above their opponent.

    The exponent is lost in the text and read so. Of the exact ratings, and without a cap.
    """
    above = abs(difference)
    if above % 400 == 0:
        odds = 10 ** int(above / 400)
        expected = Fraction(odds, odds + 1)
    else:
        exponent = _DIGITS.divide(-above.numerator, 400 * above.denominator)
        expected = Fraction(_DIGITS.divide(1, _DIGITS.add(1, _DIGITS.power(10, exponent))))
    return expected if difference >= 0 else 1 - expected


def k_factor(rating: Fraction) -> int:
    """Return K by the rating at the start of the cycle, in points: 32, from 2100 on 24, from 2400 on 16.

    The text says “over 2399” and “between 2100 and 2399”, of whole numbers; 2399.50 is still under 2400.
    """
    if rating >= 2400:
        return 16
    return 24 if rating >= 2100 else 32


def k_adjustment(old: Fraction, new: Fraction) -> tuple[Crossing, Fraction]:
    """Return the border crossed between ``old`` (RO) and ``new`` (RN), and the adjusted RN in points.

    The printed lines are scrambled. They are read so, for provisional and established ratings alike: the
    borders are 2100 and 2400; RO says which one counts, and only one does, so that a rise from under 2100
    past 2400 is adjusted at 2100; RN is taken exactly. From 2400 itself down to 2100 is “2100 ≤ both ≤ 2400”:
    not changed.
    """
    crossing = _crossing(old, new)
    border = crossing.border
    return crossing, new if border is None else border + (new - border) * crossing.multiplier


def _crossing(old: Fraction, new: Fraction) -> Crossing:
    """Return the border crossed, by the conditions of K-Adjustment in their order."""
    if 2100 <= old <= 2400 and 2100 <= new <= 2400:
        return Crossing.NONE
    if old < 2100:
        return Crossing.ROSE_TO_2100 if new >= 2100 else Crossing.NONE
    if old < 2400:
        return Crossing.FELL_UNDER_2100 if new < 2100 else Crossing.ROSE_OVER_2400
    return Crossing.FELL_UNDER_2400 if new < 2400 else Crossing.NONE


class _Standing(NamedTuple):
    """Rating at which a player counts for their opponents, in points, and why."""

    rating: Fraction
    reason: GameReason


class _Pairing(NamedTuple):
    """A game from one side, before it is known what the opponent counts as."""

    round: int
    opponent: int | None
    half_points: HalfPoints
    is_forfeit: bool


def rate_cycle(
    players: Sequence[CyclePlayer], games: Sequence[Game], *, provisional_limit: int = PROVISIONAL_LIMIT
) -> tuple[CycleOutcome, ...]:
    """Return the cycle's result for each player, in the order in which the players are given.

    Pass one: each CE player's performance rating, with other CE players at 1300, never at their performance.
    Pass two: everybody else, with CE players at their performance, exact and before any k adjustment. All
    others count as the cycle found them. Raises ValueError for what no reader may let through.
    """
    _check(players, games)
    pairings = _pairings(players, games)
    counts_as = {
        player.number: _Standing(
            Fraction(old_rating(player), 100),
            GameReason.CE_ASSUMED if player.captains_estimate else GameReason.CYCLE_START,
        )
        for player in players
    }
    results = {
        player.number: _rated(player, Formula.PERFORMANCE, pairings[player.number], counts_as)
        for player in players
        if player.captains_estimate
    }
    counts_as |= {
        number: _Standing(result.before_adjustment, GameReason.CE_PERFORMANCE)
        for number, result in results.items()
    }
    for player in players:
        if not player.captains_estimate:
            formula = Formula.PROVISIONAL if player.games < provisional_limit else Formula.ESTABLISHED
            results[player.number] = _rated(player, formula, pairings[player.number], counts_as)
    return tuple(results[player.number] for player in players)


def _check(players: Iterable[CyclePlayer], games: Iterable[Game]) -> None:
    """Raise ValueError for players or games that no file reader may accept."""
    numbers = set()
    for number, rating, earlier, captains_estimate in players:
        if number in numbers:
            raise ValueError(f"two players have the number {number}")
        numbers.add(number)
        if earlier < 0:
            raise ValueError(f"player {number} cannot have {earlier} earlier games")
        if captains_estimate and earlier:
            raise ValueError(f"player {number} has a captain’s estimate, but also earlier games: {earlier}")
        if rating is None and not captains_estimate:
            raise ValueError(f"player {number} has neither a rating nor a captain’s estimate")
    for round_, home, away, result in games:
        for side in (home, away):
            if side is not None and side not in numbers:
                raise ValueError(f"round {round_}, {home} against {away}: there is no player {side}")
        if home is not None and home == away:
            raise ValueError(f"round {round_}: player {home} against themselves")
        if result not in set(BoardResult):
            allowed = ", ".join(BoardResult)
            raise ValueError(f"round {round_}, {home} against {away}: “{result}” isn’t one of {allowed}")
        if result not in results_of(home=home is not None, away=away is not None):
            raise ValueError(f"round {round_}: “{result}” isn’t the result of a board without a player")


def old_rating(player: CyclePlayer) -> Hundredths:
    """Return RO; a CE player's is 1300, whatever their captain estimates."""
    return CE_RATING if player.captains_estimate or player.rating is None else player.rating


def _pairings(players: Iterable[CyclePlayer], games: Iterable[Game]) -> dict[int, list[_Pairing]]:
    """Return every game from the side of each player, by round and opponent, whatever their order was."""
    pairings: dict[int, list[_Pairing]] = {player.number: [] for player in players}
    for round_, home, away, result in games:
        board = BoardResult(result)
        if home is not None:
            pairings[home].append(_Pairing(round_, away, board.half_points, board.is_forfeit))
        if away is not None:
            pairings[away].append(_Pairing(round_, home, board.away_half_points, board.is_forfeit))
    return {number: sorted(games, key=_in_order) for number, games in pairings.items()}


def _in_order(pairing: _Pairing) -> tuple[int, ...]:
    """Return the place of a game among those of a player; one without an opponent is the last of a round."""
    round_, opponent, *result = pairing
    return round_, opponent is None, opponent or 0, *result


def _rated(
    player: CyclePlayer, formula: Formula, pairings: Iterable[_Pairing], counts_as: Mapping[int, _Standing]
) -> CycleOutcome:
    """Return a player's new rating by one formula, established or provisional, for all games of the cycle.

    Established Ratings Calculation: G = k × (ΣW − ΣWe).
    Provisional Ratings Calculation: G = (np × Rp + ΣRo + 400 × (ΣW − ΣL)) ÷ (np + nc) − Rp; a draw is half a
    win and half a loss and adds nothing. With np = 0 that is the performance rating. The text sets no limits:
    a win against a much weaker opponent can cost points, and there is no floor.
    """
    old = old_rating(player)
    rating = Fraction(old, 100)
    games = tuple(_seen(pairing, formula, rating, counts_as) for pairing in pairings)
    counted = [(game.half_points, game.opponent_rating) for game in games if game.opponent_rating is not None]
    if not counted:
        is_new = player.captains_estimate
        return CycleOutcome(
            player.number,
            Formula.STILL_NEW if is_new else Formula.NOTHING_COUNTED,
            games,
            old,
            player.games,
            before_adjustment=rating,
            crossing=Crossing.NONE,
            after_adjustment=rating,
            new=None if is_new else old,
        )
    half_points = HalfPoints(sum(one for one, _ in counted))
    opponents = sum((one for _, one in counted), Fraction(0))
    k = bonus = expected = None
    if formula is Formula.ESTABLISHED:
        k = k_factor(rating)
        expected = sum((game.expected for game in games if game.expected is not None), Fraction(0))
        before = rating + k * (Fraction(half_points, 2) - expected)
    else:
        bonus = Points(_PER_WIN * (half_points - len(counted)))
        before = (player.games * rating + opponents + bonus) / (player.games + len(counted))
    crossing, after = k_adjustment(rating, before)
    return CycleOutcome(
        player.number,
        formula,
        games,
        old,
        player.games,
        before_adjustment=before,
        crossing=crossing,
        after_adjustment=after,
        new=Hundredths(divide_half_up(100 * after.numerator, after.denominator)),
        counted=len(counted),
        half_points=half_points,
        opponents=opponents,
        bonus=bonus,
        k=k,
        expected=expected,
    )


def _seen(
    pairing: _Pairing, formula: Formula, rating: Fraction, counts_as: Mapping[int, _Standing]
) -> GameResult:
    """Return a game from the side of a player with this rating; a forfeit counts for neither side."""
    round_, opponent, half_points, is_forfeit = pairing
    if is_forfeit or opponent is None:
        return GameResult(round_, opponent, half_points, GameReason.FORFEIT)
    against, reason = counts_as[opponent]
    if formula is Formula.ESTABLISHED:
        difference = rating - against
        return GameResult(
            round_,
            opponent,
            half_points,
            reason,
            against,
            difference=difference,
            expected=expected_score(difference),
        )
    return GameResult(round_, opponent, half_points, reason, against, Points(_PER_WIN * (half_points - 1)))
