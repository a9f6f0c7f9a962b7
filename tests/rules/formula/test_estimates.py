"""The calculator of the FIDE formula page. E and changes are hundredths, by hand where no source is named.

10^(1/4) = 1.7782794 and 10^(1/2) = 3.1622777, so E(100) = 0.6400650 and E(200) = 0.7597469; E(400) = 10/11.
"""

from fractions import Fraction
from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.rules.b02.time_controls import Chapter
from ratings.rules.fide_page.estimates import (
    Game,
    GameEstimate,
    KReason,
    Unplayed,
    change,
    estimate,
    expected_score,
    k_factor,
    performance,
    time_class,
)
from ratings.rules.tables import EXPECTED_HIGHER
from ratings.rules.time_controls import Control

WIN, DRAW, LOSS = 2, 1, 0


@pytest.mark.parametrize(("difference", "expected"), [(0, 50), (100, 64), (200, 76)])
def test_examples_of_the_page(difference, expected):
    assert expected_score(difference) == expected


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (400, 91),  # 10/11 = 0.9090…
        (800, 99),  # 100/101 = 0.9900…
        (-100, 36),
        (-200, 24),
        (-400, 9),
        (735, 99),  # 1/(1 + 10^-1.8375) = 0.98568…
        (921, 100),  # 0.99504…: nothing cuts the difference off
        (9999, 100),
        (-9999, 0),
    ],
)
def test_expected_score_has_no_cap(difference, expected):
    assert expected_score(difference) == expected


@pytest.mark.parametrize(
    ("difference", "half_points", "k", "hundredths"),
    [
        (0, WIN, 20, 10_00),
        (0, DRAW, 40, 0),
        (0, LOSS, 10, -5_00),
        (100, WIN, 20, 7_20),  # 20 × 0.3599350 = 7.198700, not 20 × 0.36
        (100, DRAW, 40, -5_60),  # 40 × -0.1400650 = -5.602600
        (100, LOSS, 10, -6_40),
        (200, WIN, 20, 4_81),  # 20 × 0.2402531 = 4.805062
        (-200, WIN, 20, 15_19),  # 20 × 0.7597469 = 15.194938
        (400, WIN, 20, 1_82),  # 20/11 = 1.8181…
        (400, DRAW, 20, -8_18),
        (400, LOSS, 20, -18_18),
        (-400, WIN, 40, 36_36),
    ],
)
def test_change_is_k_times_score_less_expected_score_unrounded(difference, half_points, k, hundredths):
    assert change(difference, half_points, k) == hundredths


def test_the_formula_differs_from_table_4_2_at_460_of_736_differences():
    assert sum(expected_score(d) != EXPECTED_HIGHER[d] for d in range(736)) == 460


def test_every_expected_score_is_on_the_right_side_of_its_rounding():
    # E ≥ b ⟺ 10^(D/400) ≥ b/(1 − b) ⟺ 10^D ≥ (b/(1 − b))^400, in whole numbers; b: the halves around it.
    for d in range(1, 1200, 7):
        hundredths = expected_score(d)
        for half, above in ((2 * hundredths - 1, True), (2 * hundredths + 1, False)):
            if half < 200:
                assert (10**d * (200 - half) ** 400 >= half**400) is above


@pytest.mark.parametrize(
    ("rating", "games", "k"),
    [
        (1500, 0, (40, KReason.NEW)),
        (1500, 29, (40, KReason.NEW)),
        (1500, 30, (20, KReason.UNDER_2400)),
        (2399, 30, (20, KReason.UNDER_2400)),
        (2400, 30, (10, KReason.FROM_2400)),
        (2400, 29, (40, KReason.NEW)),  # the page's list begins with the new players
    ],
)
def test_k_by_games_played_and_rating(rating, games, k):
    assert k_factor(rating, games) == k


@pytest.mark.parametrize(("played", "provisional"), [(0, True), (29, True), (30, False)])
def test_rule_6_fewer_than_30_games_are_provisional(played, provisional):
    found = estimate(1500, played, [], k=15)
    assert (found.provisional, found.k, found.k_reason) == (provisional, 15, KReason.BY_HAND)


def test_k_is_chosen_once_for_all_games():
    found = estimate(1500, 29, [Game(1500, WIN)] * 3)
    assert [game.change for game in found.games] == [20_00] * 3
    assert estimate(2390, 30, [Game(2390, WIN)] * 3).change == 30_00


def test_a_tournament_of_the_page_is_summed_and_rounded_once():
    # E: 0.6400650 + 0.2402531 + 0.5 = 1.3803181; S = 2; K = 20: 12.393638
    found = estimate(1800, 100, [Game(1700, WIN), Game(2000, DRAW), Game(1800, DRAW)])
    assert [(game.difference, game.expected, game.change) for game in found.games] == [
        (100, 64, 7_20),
        (-200, 24, 5_19),  # 20 × 0.2597469 = 5.194938
        (0, 50, 0),
    ]
    assert (found.counted, found.half_points, found.expected) == (3, 4, 1_38)
    assert (found.change, found.rating) == (12_39, 1812_39)
    # Ra = 5500 / 3 = 1833.33; p = 2/3 = 0.67: dp 125
    assert found.performance == (1833_33, 67, 125, 1958_33)


def test_all_games_together_are_not_the_sum_of_rounded_changes():
    found = estimate(1900, 100, [Game(1500, WIN)] * 3)
    assert [game.change for game in found.games] == [1_82] * 3
    assert found.change == 5_45  # 60/11 = 5.4545…


def test_eleven_games_400_points_apart_expect_ten_points():
    found = estimate(1900, 100, [*[Game(1500, WIN)] * 10, Game(1500, LOSS)])
    assert (found.expected, found.change, found.rating) == (10_00, 0, 1900_00)


def test_rule_3_forfeits_and_byes_are_skipped_with_the_reason():
    games = [Game(1600, Unplayed.FORFEIT), Game(1500, WIN), Game(None, Unplayed.BYE)]
    found = estimate(1500, 100, games)
    assert found.games[0] == GameEstimate(games[0], None, None, None)
    assert found.games[2] == GameEstimate(games[2], None, None, None)
    assert (found.counted, found.half_points, found.change) == (1, WIN, 10_00)
    assert found.performance.average == 1500_00


def test_without_a_game_nothing_moves_and_there_is_no_performance():
    found = estimate(1500, 100, [Game(None, Unplayed.BYE)])
    assert (found.counted, found.expected, found.change, found.rating) == (0, 0, 0, 1500_00)
    assert found.performance is None


def test_a_game_that_was_played_needs_an_opponent():
    with pytest.raises(ValueError, match="rating"):
        estimate(1500, 100, [Game(None, WIN)])


@pytest.mark.parametrize(
    ("floor", "rating", "held"),
    [
        (None, 1490_00, False),
        (1400, 1490_00, False),
        (1490, 1490_00, False),  # exactly the floor is not under it
        (1495, 1495_00, True),
        (1500, 1500_00, True),
        (1501, 1490_00, False),  # never reached: it holds nothing, and lifts nobody up
    ],
)
def test_rule_5_a_floor_holds_once_achieved(floor, rating, held):
    found = estimate(1500, 100, [Game(1500, LOSS)], floor=floor)
    assert (found.change, found.rating, found.floor_held) == (-10_00, rating, held)


@pytest.mark.parametrize(
    ("half_points", "p", "dp"),
    [
        (10, 50, 0),  # the page: 50 %
        (14, 70, 149),  # the page says ≈ 120; table 4.1: 149
        (6, 30, -149),
        (20, 100, 800),
        (0, 0, -800),
    ],
)
def test_performance_is_by_table_4_1(half_points, p, dp):
    assert performance(10 * 2000, 10, half_points) == (2000_00, p, dp, (2000 + dp) * 100)


def test_performance_rounds_the_score_and_the_average_half_up():
    # 2.5/4 = 0.625 → 0.63: dp 95; 8001/4 = 2000.25. 1/8: 1000.125 → 1000.13
    assert performance(8001, 4, 5) == (2000_25, 63, 95, 2095_25)
    assert performance(8001, 8, 8).average == 1000_13


@pytest.mark.parametrize(
    ("minutes", "increment", "kind"),
    [
        (90, 30, Chapter.STANDARD),
        (61, 0, Chapter.STANDARD),
        (60, 0, Chapter.RAPID),  # standard is more than 60
        (30, 30, Chapter.RAPID),  # 60 moves: 60 minutes
        (31, 30, Chapter.STANDARD),
        (11, 0, Chapter.RAPID),
        (10, 5, Chapter.RAPID),
        (10, 0, Chapter.BLITZ),  # named twice; blitz as in RBB 2.3.2
        (5, 5, Chapter.BLITZ),
        (3, 0, Chapter.BLITZ),
        (1, 2, Chapter.BLITZ),  # 60 moves: 3 minutes
        (2, 0, None),
        (1, 1, None),
    ],
)
def test_rule_4_time_class_by_minutes_for_60_moves(minutes, increment, kind):
    assert time_class(Control(60 * minutes, increment)) is kind


def test_rule_4_a_second_decides():
    assert time_class(Control(3601, 0)) is Chapter.STANDARD
    assert time_class(Control(601, 0)) is Chapter.RAPID
    assert time_class(Control(179, 0)) is None


points = st.integers(100, 3500)
results = st.sampled_from([LOSS, DRAW, WIN])


def irrational(difference: int) -> Fraction:
    """E to 60 places by square roots: 10^(D/400) has no closed form but for multiples of 25 (16th roots)."""
    sixteenths = difference // 25
    scale = 10**60
    root = 10 ** (abs(sixteenths) + 16 * 60)
    for _ in range(4):
        root = isqrt(root)  # 10^(D/400) × 10^60
    tenfold = Fraction(root, scale) if sixteenths >= 0 else Fraction(scale, root)
    return tenfold / (1 + tenfold)


@given(points, st.lists(st.tuples(st.integers(-40, 40), results), max_size=30), st.sampled_from([10, 20, 40]))
def test_changes_are_exact_before_they_are_rounded(rating, played, k):
    games = [Game(rating - 25 * step, result) for step, result in played]
    found = estimate(rating, 100, games, k=k)
    exact = k * sum(Fraction(result, 2) - irrational(25 * step) for step, result in played)
    assert abs(Fraction(found.change, 100) - exact) <= Fraction(1, 200) + Fraction(1, 10**50)
    assert found.rating == 100 * rating + found.change


@given(st.integers(-5000, 5000), results, st.integers(1, 60))
def test_what_one_gains_the_other_loses(difference, half_points, k):
    assert expected_score(difference) + expected_score(-difference) == 100
    assert change(difference, half_points, k) == -change(-difference, 2 - half_points, k)


@given(st.integers(-2000, 2000))
def test_a_higher_rating_expects_no_less(difference):
    assert expected_score(difference) <= expected_score(difference + 1)
