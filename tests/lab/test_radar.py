"""The radar: what was planted is found, and honest habits aren't."""

from collections import defaultdict

import numpy as np
import pytest

from ratings.lab.radar import _beta_binomial, search
from ratings.lab.strengths import chance
from tests.lab.arenas import HELD_OUT, LIMITS, arena

pytestmark = pytest.mark.long

MEMBERS = 2_000


@pytest.fixture(scope="module")
def planted():
    """By seed an arena with planted schemes, and what the radar finds."""
    return {seed: _searched(seed, honest=False) for seed in HELD_OUT}


def _searched(seed, *, honest):
    simulated = arena(seed, honest=honest)
    return simulated, search(simulated.data, LIMITS, simulated.gone)


def who(row):
    """The member of a standing in blitz."""
    return row - MEMBERS


class TestHeldOutSeeds:
    """On seeds that the radar wasn't made with."""

    def test_nine_of_ten_findings_are_of_planted_schemes(self, planted):
        right = [
            who(one.rows[0]) in simulated.crooked for simulated, run in planted.values() for one in run.found
        ]
        assert len(right) > 200
        assert sum(right) / len(right) >= 0.9

    def test_four_of_five_farmers_rings_and_sandbaggers_are_found(self, planted):
        found = defaultdict(list)
        for simulated, run in planted.values():
            gained = {who(row) for one in run.found for row in one.rows}
            for scheme in simulated.schemes:
                found[scheme.kind].append(scheme.who in gained)
        for kind in ("farmer", "ring", "sandbagger", "gone"):
            assert sum(found[kind]) / len(found[kind]) >= 0.8, kind
        everything = [one for some in found.values() for one in some]
        assert sum(everything) / len(everything) >= 0.8

    def test_honest_members_have_at_most_one_finding_in_a_thousand(self):
        """Among them juniors who climb, friends, clubs, teachers of beginners, and bad connections."""
        for seed in HELD_OUT[:3]:
            _simulated, run = _searched(seed, honest=True)
            assert len(run.found) <= MEMBERS / 1_000


def ahead(points, games):
    return np.full(games, float(points)), np.zeros(games, np.int64)


class TestChance:
    def test_of_ten_wins_against_an_equal_without_draws(self):
        assert chance(*ahead(0, 10), np.zeros(1), 0.0, 0.0, 20) == pytest.approx(0.5**10)
        assert chance(*ahead(0, 10), np.zeros(1), 0.0, 0.0, 18) == pytest.approx(11 * 0.5**10)

    def test_of_two_wins_where_half_the_games_are_drawn(self):
        # A win has a probability of .25, a draw of .5.
        assert chance(*ahead(0, 2), np.zeros(1), 0.0, 0.5, 4) == pytest.approx(1 / 16)
        assert chance(*ahead(0, 2), np.zeros(1), 0.0, 0.5, 3) == pytest.approx(5 / 16)

    def test_is_greater_if_the_strengths_are_uncertain(self):
        sure = chance(*ahead(0, 20), np.zeros(1), 0.0, 0.0, 36)
        opponent = chance(*ahead(0, 20), np.full(1, 100.0), 0.0, 0.0, 36)
        player = chance(*ahead(0, 20), np.zeros(1), 100.0, 0.0, 36)
        assert opponent == pytest.approx(player)
        assert opponent > 10 * sure

    def test_opponents_are_uncertain_one_by_one_and_the_player_in_all_games(self):
        several = np.repeat(np.arange(4), 5)
        of_opponents = chance(np.zeros(20), several, np.full(4, 100.0), 0.0, 0.0, 36)
        of_player = chance(np.zeros(20), several, np.zeros(4), 100.0, 0.0, 36)
        assert of_opponents < of_player / 3

    def test_disconnections_follow_what_is_known_of_the_opponent(self):
        # One of two, at 1 in 10 as seen ten times: Beta(1, 9).
        assert _beta_binomial(2, 1.0, 9.0) == pytest.approx([9 / 11, 9 / 55, 1 / 55])
