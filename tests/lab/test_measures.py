"""Measures of predictions and ratings, beside sums done by hand."""

from math import log, log10

import numpy as np
import pytest

from ratings.lab import measures
from ratings.lab.presenting import LEAST

pytestmark = [pytest.mark.pure]


def figures(expected, scored):
    times = LEAST // len(expected)
    found = measures.figures(measures.sums(np.tile(expected, times), np.tile(scored, times)))
    return {name: None if one is None else one[0] for name, one in found.items()}


def test_measures_are_means_over_games():
    assert figures([0.8, 0.5, 0.4, 0.75], [1, 0.5, 1, 0]) == {
        "log_loss": pytest.approx(-(log(0.8) + log(0.5) + log(0.4) + log(0.25)) / 4, abs=1e-5),
        "brier": pytest.approx((0.04 + 0 + 0.36 + 0.5625) / 4, abs=1e-5),
        "deviance": pytest.approx(-(log10(0.8) + log10(0.5) + log10(0.4) + log10(0.25)) / 4, abs=1e-5),
        # Of three decisive games with a favourite, one was won by it.
        "accuracy": pytest.approx(1 / 3, abs=1e-5),
        "calibration": pytest.approx((0.2 + 0 + 0.6 + 0.75) / 4, abs=1e-5),
    }


def test_what_was_certain_and_did_not_happen_counts_as_nearly_certain():
    found = figures([1.0, 0.0], [0, 1])
    assert found["log_loss"] == pytest.approx(-log(0.001), abs=1e-5)
    assert found["deviance"] == pytest.approx(-log10(0.01), abs=1e-5)


def test_too_few_games_give_no_figure():
    one_less = measures.sums(np.full(LEAST - 1, 0.6), np.ones(LEAST - 1))
    assert measures.figures(one_less) == dict.fromkeys(measures.NAMES)
    assert measures.difference(one_less, one_less) is None


def test_without_a_decisive_game_there_is_no_accuracy():
    found = measures.figures(measures.sums(np.full(LEAST, 0.6), np.full(LEAST, 0.5)))
    assert found["accuracy"] is None
    assert found["brier"] == [0.01, 0.01, 0.01]


def test_intervals_hold_the_truth_nearly_always():
    dice, within = np.random.default_rng(7), 0
    for _ in range(100):
        expected = dice.uniform(0.1, 0.9, 4000)
        scored = (dice.uniform(size=4000) < expected).astype(float)
        _value, low, high = measures.figures(measures.sums(expected, scored))["brier"]
        within += low <= float(np.mean([p * (1 - p) for p in np.linspace(0.1, 0.9, 10_001)])) <= high
    assert 88 <= within <= 100


def test_of_two_predictions_of_the_same_games_the_better_one_is_told():
    dice = np.random.default_rng(3)
    expected = dice.uniform(0.1, 0.9, 5000)
    scored = (dice.uniform(size=5000) < expected).astype(float)
    good, bad = (measures.sums(one, scored) for one in (expected, 0.5 + (expected - 0.5) / 3))
    value, low, high = measures.difference(good, bad)
    assert low <= value <= high < 0
    assert measures.difference(good, good) == [0, 0, 0]


def test_the_spread_of_ratings_is_in_points():
    ratings = np.arange(1000_00, 1101_00, 100)
    assert measures.spread(ratings) == {
        "members": 101, "mean": 1050.0, "deviation": 29.2, "low": 1010.0, "median": 1050.0, "high": 1090.0,
    }  # fmt: skip
    assert measures.spread(ratings[:19]) == {"members": 19}


def test_moves_are_counted_among_those_rated_before_and_after():
    before = np.array([1500_00, 1600_00, 1700_00, -1, 1800_00, 1900_00])
    after = np.array([1500_00, 1610_00, 1640_00, 1500_00, -1, 1900_50])
    found = measures.moves(before, after)
    assert (found["both"], found["gained"], found["lost"]) == (4, 1, 1)
    assert found["moved"] == [2, 2, 1, 1, 0]
    assert (found["mean"], found["mean_size"], found["largest"]) == (-12.38, 17.62, [-60_00, 10_00])
    # Those who stay, or move by half a point, aren’t in the picture: they would hide the others.
    assert sum(found["bars"]) == 2
    assert found["bars"][0] == 1
