"""B.02: what the explanations of random tournaments show as equal is equal, or says that it is rounded."""

import random

import pytest

from ratings.otb.explanation import explain
from ratings.otb.services.rating import as_rated
from tests.equations import check_explanation
from tests.otb.tournaments import everybody_listed, received, report

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("seed", range(12))
def test_8_2_8_5_8_58_every_figure_of_a_random_tournament_follows_from_those_beside_it(seed):
    """Means of seven, eight or nine ratings, d(pa) of as many, and both Ru of players without a rating."""
    dice = random.Random(seed)
    n = dice.choice((8, 9, 10))
    ratings = [None if dice.random() < 0.25 else dice.randrange(1500, 2700) for _ in range(n - 4)]
    players = everybody_listed(
        *ratings, *(dice.randrange(1500, 2700) for _ in range(4)), k=dice.choice((15, 20))
    )
    pairs = [(one, other) for one in range(1, n + 1) for other in range(one + 1, n + 1)]
    results = {pair: dice.choice("1=0") for pair in pairs}
    kind = "Individual: Round-Robin" if seed % 2 else "Individual: Swiss-System"
    rounds = [{pair: result} for pair, result in results.items() if seed % 2 or dice.random() < 0.7]
    tournament = received(report(players, rounds, kind=kind)).tournament
    rated = as_rated(tournament)
    assert (rated.rating.round_robin is not None) == (seed % 2 and None in ratings)
    assert sum(check_explanation(explain(rated, one)) for one in rated.participants) >= 4 * n
