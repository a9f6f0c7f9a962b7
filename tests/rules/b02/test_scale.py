"""FIDE B.02 10.3, 12.3: the scale of a list, and ratings that cannot follow so many games."""

from decimal import Decimal

import pytest

from ratings.rules.b02.drift import Drift
from ratings.rules.b02.k_factor import most_games, too_many_games


@pytest.mark.parametrize(("k", "games"), [(10, 75), (15, 50), (25, 30)])
def test_12_3_a_warning_comes_with_the_game_after_75_50_or_30(k, games):
    """B.02 12.3: K = 10: 75 games in a period; K = 15: 50; K = 25: 30."""
    assert most_games(k) == games
    assert not too_many_games(2000, k, games)
    assert too_many_games(2000, k, games + 1)


@pytest.mark.parametrize(("k", "games"), [(20, 37), (30, 25), (40, 18)])
def test_12_3_another_k_of_fides_list_has_the_same_product_of_k_and_games(k, games):
    """750 divided by K, rounded down."""
    assert most_games(k) == games


def test_12_3_a_new_player_has_no_k_in_the_period_and_no_warning():
    assert not too_many_games(None, None, 80)


def test_10_3_the_drift_of_a_list():
    """Before 2000, 1900, 1210; after 1993, 1901 and a new 2197; 1210 fell under the floor.

    The mean change of the two who stayed is (-7 + 1) / 2 = -3; before (2000 + 1900 + 1210) / 3 =
    1703.33; after (1993 + 1901 + 2197) / 3 = 2030.33.
    """
    drift = Drift(
        stayed=2, change=-6, played=1, change_of_played=-7, new=1, new_sum=2197, gone=1, gone_sum=1210,
        rating_sum=1993 + 1901 + 2197,
    )  # fmt: skip
    assert drift.mean_change == Decimal("-3.00")
    assert drift.mean_change_of_played == Decimal("-7.00")
    assert (drift.mean_new, drift.mean_gone) == (Decimal("2197.00"), Decimal("1210.00"))
    assert (drift.mean_before, drift.mean_after) == (Decimal("1703.33"), Decimal("2030.33"))


def test_10_3_means_are_rounded_half_up_and_there_are_none_of_nobody():
    """-1 / 8 = -0.125, half up -0.12; 1 / 8 = 0.125, 0.13."""
    nobody = Drift(0, 0, 0, 0, 0, 0, 0, 0, 0)
    assert (nobody.mean_change, nobody.mean_before, nobody.mean_after) == (None, None, None)
    assert nobody._replace(stayed=8, change=-1).mean_change == Decimal("-0.12")
    assert nobody._replace(stayed=8, change=1).mean_change == Decimal("0.13")
