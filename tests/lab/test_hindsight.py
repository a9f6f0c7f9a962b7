"""How far newcomers, juniors and returners are behind, by WHR in hindsight."""

import random

import numpy as np
import pytest

from ratings.lab import hindsight
from ratings.lab.hindsight import _among_the_most_active, _by_member, _histories, _level, _mean, behind
from tests.lab.test_engine import DAY, as_data
from tests.lab.test_variants import opened, played

pytestmark = [pytest.mark.pure]


def test_games_are_counted_from_the_first_and_from_a_return_after_a_year():
    players = np.array([[0, 1], [1, 2], [0, 1], [0, 2], [1, 0]])
    number, since_return = _histories(players, np.array([0, 10, 20, 385, 386]))
    assert number.tolist() == [[0, 0], [1, 0], [1, 2], [2, 1], [3, 3]]
    # 0 was away from day 20 to 385, 2 from 10 to 385; 1 returns on day 386.
    assert [[one < 10 for one in row] for row in since_return.tolist()] == [
        [False, False], [False, False], [False, False], [True, True], [True, True],
    ]  # fmt: skip
    assert since_return[3].tolist() == [0, 0]
    assert since_return[4].tolist() == [0, 1]


def test_games_are_those_among_the_most_active_members(monkeypatch):
    """Games of 0: 4, of 1: 3, of 2: 2, of 3: 1."""
    players = np.array([[0, 1], [1, 0], [0, 2], [2, 1], [0, 3]])
    assert _among_the_most_active(players, 4).tolist() == [0, 1, 2, 3, 4]
    monkeypatch.setattr(hindsight, "MEMBERS", 3)
    assert _among_the_most_active(players, 4).tolist() == [0, 1, 2, 3]
    monkeypatch.setattr(hindsight, "MOST", 2)
    assert _among_the_most_active(players, 4).tolist() == [0, 2]
    monkeypatch.setattr(hindsight, "MEMBERS", 1)
    assert _among_the_most_active(players, 4).tolist() == []


def test_a_group_is_compared_member_by_member():
    assert _by_member(np.array([7, 3, 7]), np.array([10.0, 5.0, 20.0])).tolist() == [5.0, 15.0]
    # Variance 2000 / 19; ±1.96 × √(105.26 / 20) = ±4.5.
    ten = np.array([10.0, 30.0] * 10)
    assert _mean(ten) == [20, 20, 16, 24]
    assert _mean(ten[:19]) == [19, None, None, None]


def test_the_level_is_that_of_established_members_in_the_same_month():
    months = np.array([0] * 21 + [1] * 21)
    established = np.array([True] * 20 + [False] + [True] * 20 + [False])
    apart = np.array([4.0, 6.0] * 10 + [100.0] + [7.0] * 21)
    # In the second month, one member has two games: nineteen members are too few.
    members = np.array([*range(21), *range(19), 0, 20])
    level = _level(months, established, apart, members)
    assert level[:21].tolist() == [5.0] * 21
    assert np.isnan(level[21:]).all()


def simulated(gap):
    """60 members rated as strong as they are, and 30 who start `gap` points too low; a game every hour."""
    dice = random.Random(5)
    strength = [dice.randrange(1400, 1900) for _ in range(90)]
    events = [opened(n, strength[n] - (gap if n >= 60 else 0)) for n in range(90)]
    for number in range(9_000):
        white, black = dice.sample(range(60 if number < 3_000 else 90), 2)
        expected = 1 / (1 + 10 ** ((strength[black] - strength[white]) / 400))
        won = 2 if dice.random() < expected else 0
        events.append(played(number + 1, white, black, won, moment=(number + 2) * DAY // 24))
    return as_data(events, 90)


def test_newcomers_who_start_too_low_are_found_behind():
    """They catch up by K = 20 within their first thirty games, so they lack less than 200 points."""
    found = behind(simulated(200))
    assert (found["category"], found["games"], found["established"]) == ("blitz", 9_000, 90)
    members, mean, low, high = found["groups"]["newcomers"]
    assert members == 84
    assert 20 < low < mean < high < 120
    # Nobody's birth year is known, and nobody was away.
    assert found["groups"]["juniors"] == found["groups"]["returners"] == [0, None, None, None]


def test_juniors_are_known_by_the_year_of_birth():
    data = simulated(300)
    # The games are of 1970 and 1971.
    data.born[60:] = 1960
    members, _mean, low, _high = behind(data)["groups"]["juniors"]
    assert members == 30
    assert low > 20


def test_newcomers_who_start_right_are_not():
    _members, _mean, low, high = behind(simulated(0))["groups"]["newcomers"]
    assert low < 0 < high


def test_without_games_there_is_nothing():
    assert behind(as_data([])) is None
