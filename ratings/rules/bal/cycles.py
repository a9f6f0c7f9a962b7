"""The rating cycle of the BAL, a team league: players at its start and its games in, new ratings out.

From “So How Did I Get That Rating?”. A cycle is one batch: first the performance ratings of the new players
with a captain's estimate (CE), then everybody else. Types and units are in :mod:`ratings.rules.bal.types`.

Nothing is rounded but the new rating, at the end. An expected score is irrational unless the difference is a
multiple of 400: it is kept to 50 digits, and those of the two sides of a game add up to exactly 1, so that
sums that are even are even here. The readings of the text are beside what they concern.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Context
from fractions import Fraction
from typing import Final, NamedTuple

from ratings.rules.bal.types import (
    BoardResult,
    Crossing,
    CycleOutcome,
    CyclePlayer,
    Formula,
    Game,
    GameReason,
    GameResult,
    results_of,
)
from ratings.rules.rounding import divide_half_up
from ratings.rules.units import HalfPoints, Hundredths, Points

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
            Fraction(_old(player), 100),
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
            raise ValueError(f"player {number} has a captain's estimate, but also earlier games: {earlier}")
        if rating is None and not captains_estimate:
            raise ValueError(f"player {number} has neither a rating nor a captain's estimate")
    for round_, home, away, result in games:
        for side in (home, away):
            if side is not None and side not in numbers:
                raise ValueError(f"round {round_}, {home} against {away}: there is no player {side}")
        if home is not None and home == away:
            raise ValueError(f"round {round_}: player {home} against themselves")
        if result not in set(BoardResult):
            allowed = ", ".join(BoardResult)
            raise ValueError(f"round {round_}, {home} against {away}: “{result}” isn't one of {allowed}")
        if result not in results_of(home=home is not None, away=away is not None):
            raise ValueError(f"round {round_}: “{result}” isn't the result of a board without a player")


def _old(player: CyclePlayer) -> Hundredths:
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
    old = _old(player)
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
