"""BAL: what the explanations of random cycles show as equal is equal, or says that it is rounded."""

import random

import pytest

from ratings.league.explanation import explain
from ratings.league.models import Cycle, League, Player, Season, SquadPlayer, Team
from ratings.league.services.cycles import CycleRating
from ratings.rules.bal.cycles import BoardResult, Crossing, CyclePlayer, Game, rate_cycle
from tests.equations import check_explanation


def a_cycle(dice):
    """Eight players of random ratings, many of them near a border, and twenty games."""
    players = [
        CyclePlayer(
            number,
            dice.choice((dice.randrange(1000_00, 2700_00), dice.randrange(2095_00, 2105_00), 2400_00)),
            dice.choice((3, 11, 40)),
        )
        if dice.random() < 0.8
        else CyclePlayer(number, None, captains_estimate=True)
        for number in range(1, 9)
    ]
    games = [Game(1, *dice.sample(range(1, 9), 2), dice.choice(list(BoardResult)).value) for _ in range(20)]
    season = Season(league=League(provisional_limit=20))
    squad = [
        SquadPlayer(season=season, player=Player(pk=one.number, name=f"Player {one.number}"), team=Team())
        for one in players
    ]
    results = rate_cycle(players, games, provisional_limit=20)
    return CycleRating(Cycle(season=season), squad, {one.number: one for one in results})


@pytest.mark.parametrize("seed", range(30))
def test_every_figure_of_a_random_cycle_follows_from_those_beside_it(seed):
    rating = a_cycle(random.Random(seed))
    found = [explain(rating, number) for number in rating.results]
    assert sum(map(check_explanation, found)) >= 8
    crossed = [one for one in found if one.result.crossing is not Crossing.NONE]
    for one in crossed:
        told = [step.text for step in one.steps if "the rating crosses" in step.text]
        # What has more decimals than are shown is marked.
        assert ("RN ≈" in told[0]) == ((10_000 * one.result.before_adjustment).denominator != 1)
