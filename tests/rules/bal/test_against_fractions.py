"""The BAL's rating cycle beside a second, slow reading of the text, and what must hold of any cycle.

The slow reading shares nothing but the types: expectations by exponential and logarithm to 120 digits, the
formulae as they are printed, the k adjustment by the side of a border that each rating is on.
"""

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.rules.bal.cycles import (
    BoardResult,
    CyclePlayer,
    Formula,
    Game,
    GameReason,
    rate_cycle,
    results_of,
)

SCORES = {"1-0": Fraction(1), "1/2-1/2": Fraction(1, 2), "0-1": Fraction(0)}


def played(games, number):
    """A player’s games as (opponent, points), forfeits left out."""
    for _, home, away, result in games:
        if result in SCORES and home == number:
            yield away, SCORES[result]
        elif result in SCORES and away == number:
            yield home, 1 - SCORES[result]


def we(own, other):
    with localcontext() as context:
        context.prec = 120
        exponent = Decimal((other - own).numerator) / (400 * (other - own).denominator)
        return Fraction(1 / (1 + (exponent * Decimal(10).ln()).exp()))


def adjusted(ro, rn):
    """The table of the reading: where RO is, and beyond which border RN is."""
    if ro < 2100 <= rn:
        return 2100 + (rn - 2100) * Fraction("0.75")
    if 2100 <= ro < 2400 and rn < 2100:
        return 2100 + (rn - 2100) * Fraction("1.33")
    if 2100 <= ro < 2400 and rn > 2400:
        return 2400 + (rn - 2400) * Fraction("0.66")
    if ro > 2400 > rn or (ro == 2400 and rn < 2100):
        return 2400 + (rn - 2400) * Fraction("1.50")
    return rn


def two_decimals(points):
    return math.floor(points * 100 + Fraction(1, 2))


def slowly(players, games, limit):
    """{number: (new rating in hundredths or None, games afterwards)}."""
    start = {p.number: 1300 if p.captains_estimate else Fraction(p.rating, 100) for p in players}
    performances = {}
    for p in players:
        mine = list(played(games, p.number))
        if p.captains_estimate and mine:
            wins = sum(points for _, points in mine)
            losses = sum(1 - points for _, points in mine)
            performances[p.number] = (sum(start[o] for o, _ in mine) + 400 * (wins - losses)) / len(mine)
    counts_as = start | performances
    results = {}
    for p in players:
        mine = list(played(games, p.number))
        ro = start[p.number]
        wins = sum(points for _, points in mine)
        losses = sum(1 - points for _, points in mine)
        if p.captains_estimate:
            rn = performances.get(p.number)
        elif not mine:
            rn = ro
        elif p.games < limit:
            total = p.games * ro + sum(counts_as[o] for o, _ in mine) + 400 * (wins - losses)
            rn = ro + (total / (p.games + len(mine)) - ro)
        else:
            k = 16 if ro >= 2400 else 24 if ro >= 2100 else 32
            rn = ro + k * (wins - sum(we(ro, counts_as[o]) for o, _ in mine))
        new = None if rn is None else two_decimals(adjusted(ro, rn))
        results[p.number] = (new, p.games + len(mine))
    return results


def a_league(dice):
    """Forty players of any strength, nine rounds."""
    players = [
        CyclePlayer(number, None, 0, captains_estimate=True)
        if dice.random() < 0.25
        else CyclePlayer(number, dice.randrange(1000_00, 2600_00), dice.randrange(40))
        for number in range(40)
    ]
    results = [*BoardResult, *SCORES, *SCORES]
    games = []
    for round_ in range(1, 10):
        order = dice.sample(range(40), 40)
        games += [
            Game(round_, one, other, dice.choice(results))
            for one, other in zip(order[::2], order[1::2], strict=True)
        ]
    return players, games


@pytest.mark.parametrize("seed", range(40))
def test_a_slow_reading_of_the_text_gives_the_same_ratings(seed):
    dice = random.Random(seed)
    players, games = a_league(dice)
    limit = dice.choice((0, 20, 26))
    results = rate_cycle(players, games, provisional_limit=limit)
    assert {line.number: (line.new, line.games_after) for line in results} == slowly(players, games, limit)


NEAR_A_BORDER = st.one_of(
    st.integers(500_00, 2900_00),
    st.integers(2090_00, 2110_00),
    st.integers(2390_00, 2410_00),
    st.sampled_from((2100_00, 2400_00)),
)


@st.composite
def cycles(draw):
    """Any players and any games between them."""
    ratings = draw(st.lists(st.one_of(st.none(), NEAR_A_BORDER), min_size=2, max_size=8))
    players = [
        CyclePlayer(number, rating, draw(st.integers(0, 30)))
        if rating is not None
        else CyclePlayer(number, None, 0, captains_estimate=True)
        for number, rating in enumerate(ratings)
    ]
    sides = [*range(len(players)), None]
    pairs = [(one, other) for one in sides for other in sides if one != other or one is None]
    drawn = draw(st.lists(st.sampled_from(pairs), max_size=20))
    games = [
        Game(
            draw(st.integers(1, 5)),
            home,
            away,
            draw(st.sampled_from(results_of(home=home is not None, away=away is not None))).value,
        )
        for home, away in drawn
    ]
    return players, games


@given(cycles())
def test_any_cycle_is_rated_as_the_slow_reading_does(cycle):
    players, games = cycle
    results = rate_cycle(players, games)
    assert {line.number: (line.new, line.games_after) for line in results} == slowly(players, games, 20)


TURNED = {"1-0": "0-1", "0-1": "1-0", "1/2-1/2": "1/2-1/2", "+/-": "-/+", "-/+": "+/-", "-/-": "-/-"}


@given(cycles(), st.randoms())
def test_order_of_games_and_players_and_who_is_at_home_make_no_difference(cycle, dice):
    players, games = cycle
    results = {line.number: line for line in rate_cycle(players, games)}
    players = dice.sample(players, len(players))
    games = [
        Game(game.round, game.away, game.home, TURNED[game.result]) if dice.random() < 0.5 else game
        for game in dice.sample(games, len(games))
    ]
    assert rate_cycle(players, games) == tuple(results[player.number] for player in players)


@given(cycles())
def test_a_result_is_what_its_games_say(cycle):
    players, games = cycle
    results = rate_cycle(players, games)
    performances = {
        line.number: line.before_adjustment for line in results if line.formula is Formula.PERFORMANCE
    }
    seats = [player for game in games for player in (game.home, game.away) if player is not None]
    assert sum(len(line.games) for line in results) == len(seats)
    for player, line in zip(players, results, strict=True):
        counted = [game for game in line.games if game.reason is not GameReason.FORFEIT]
        assert [game.round for game in line.games] == sorted(game.round for game in line.games)
        assert line.counted == len(counted)
        assert line.half_points == sum(game.half_points for game in counted)
        assert line.opponents == sum(game.opponent_rating for game in counted)
        assert line.games_after == player.games + len(counted)
        for game in counted:
            if game.reason is GameReason.CE_PERFORMANCE:
                assert game.opponent_rating == performances[game.opponent]
        if line.formula is Formula.ESTABLISHED:
            assert line.expected == sum(game.expected for game in counted)
            assert line.gain == line.k * (Fraction(line.half_points, 2) - line.expected)
        elif counted:
            assert line.bonus == sum(game.bonus for game in counted)
            before = player.games * Fraction(line.old, 100) + line.opponents + line.bonus
            assert line.before_adjustment == before / line.games_after
        else:
            assert (line.gain, line.adjusted_gain) == (0, 0)
