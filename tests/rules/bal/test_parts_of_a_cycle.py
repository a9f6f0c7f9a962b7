"""The BAL's rating cycle, rule by rule: “So How Did I Get That Rating?”. Sums in comments are by hand."""

from fractions import Fraction

import pytest

from ratings.rules.bal.cycles import (
    CE_RATING,
    BoardResult,
    Crossing,
    CyclePlayer,
    Formula,
    Game,
    GameReason,
    GameResult,
    expected_score,
    k_adjustment,
    k_factor,
    rate_cycle,
    results_of,
)

PROVISIONAL = "Provisional Ratings Calculation"
ESTABLISHED = "Established Ratings Calculation"


def ce(number, rating=None):
    return CyclePlayer(number, rating, 0, captains_estimate=True)


def established(number, points):
    return CyclePlayer(number, round(points * 100), 20)


def provisional(number, points, games):
    return CyclePlayer(number, round(points * 100), games)


def rate(players, *games, **league):
    """Results by number; games as (home, away, result), one a round."""
    games = [Game(round_, *game) for round_, game in enumerate(games, 1)]
    return {line.number: line for line in rate_cycle(players, games, **league)}


# Within a rating cycle, games won by forfeit are not counted for rating purposes.


@pytest.mark.parametrize(("result", "half_points", "others"), [("+/-", 2, 0), ("-/+", 0, 2), ("-/-", 0, 0)])
@pytest.mark.parametrize("player", [established(1, 1500), provisional(1, 1500, 3)])
def test_a_forfeit_counts_for_neither_side(player, result, half_points, others):
    lines = rate([player, provisional(2, 1800, 5)], (1, 2, result))
    assert lines[1].games == (GameResult(1, 2, half_points, GameReason.FORFEIT),)
    assert lines[2].games == (GameResult(1, 1, others, GameReason.FORFEIT),)
    for number, old in ((1, 1500_00), (2, 1800_00)):
        line = lines[number]
        assert (line.formula, line.old, line.new) == (Formula.NOTHING_COUNTED, old, old)
        assert (line.counted, line.half_points, line.opponents, line.gain) == (0, 0, 0, 0)
        assert (line.bonus, line.k, line.expected) == (None, None, None)
    assert [lines[number].games_after for number in (1, 2)] == [player.games, 5]


def test_a_forfeit_beside_games_adds_neither_score_nor_opponent_nor_game():
    players = [provisional(1, 1500, 1), established(2, 1700), established(3, 2000)]
    line = rate(players, (1, 2, "1/2-1/2"), (3, 1, "-/+"))[1]
    # (1 × 1500 + 1700 + 0) ÷ 2.
    assert (line.new, line.counted, line.half_points, line.opponents, line.bonus) == (1600_00, 1, 1, 1700, 0)
    assert [game.reason for game in line.games] == [GameReason.CYCLE_START, GameReason.FORFEIT]
    assert line.games_after == 2


def test_a_player_without_games_keeps_his_rating():
    line = rate([established(1, 2100.37)])[1]
    assert (line.formula, line.games, line.new, line.crossing) == (
        Formula.NOTHING_COUNTED,
        (),
        2100_37,
        Crossing.NONE,
    )


# New, unrated players with Captain's Estimate (CE) ratings: 1300, zero previous games; performance first.


def test_a_ce_player_gets_his_performance_of_zero_previous_games():
    line = rate([ce(1), established(2, 1500), established(3, 1501)], (1, 2, "1-0"), (3, 1, "1/2-1/2"))[1]
    # (0 × 1300 + 3001 + 400 × (1.5 - 0.5)) ÷ 2.
    assert (line.formula, line.formula.article) == (Formula.PERFORMANCE, PROVISIONAL)
    assert (line.old, line.before_adjustment, line.new) == (1300_00, Fraction(3401, 2), 1700_50)
    assert (line.opponents, line.bonus, line.gain) == (3001, 400, Fraction(801, 2))
    assert [(game.reason, game.bonus) for game in line.games] == [
        (GameReason.CYCLE_START, 400),
        (GameReason.CYCLE_START, 0),
    ]
    assert (line.games_before, line.counted, line.games_after) == (0, 2, 2)


@pytest.mark.parametrize("estimate", [None, 900_00, 2200_00])
def test_what_the_captain_estimates_counts_for_nothing(estimate):
    lines = rate([ce(1, estimate), ce(2), established(3, 1300)], (1, 2, "1/2-1/2"), (3, 1, "0-1"))
    # (1300 + 1300 + 400) ÷ 2, and for the other 1300 ÷ 1.
    assert [lines[number].new for number in (1, 2)] == [1500_00, 1300_00]
    assert (lines[1].old, CE_RATING) == (1300_00, 1300_00)


def test_pass_one_takes_another_ce_player_at_1300_never_at_his_performance():
    lines = rate([ce(1), ce(2), established(3, 2000)], (1, 2, "1-0"), (1, 3, "1-0"))
    # (1300 + 2000 + 800) ÷ 2 = 2050; the other 1300 - 400, and not 2050 - 400.
    assert [lines[number].new for number in (1, 2)] == [2050_00, 900_00]
    assert lines[2].games == (GameResult(1, 1, 0, GameReason.CE_ASSUMED, Fraction(1300), -400),)


def test_pass_two_takes_a_ce_opponent_at_his_exact_performance():
    players = [ce(1), established(2, 1500), established(3, 1500), provisional(4, 1501, 2)]
    lines = rate(players, (1, 2, "1-0"), (1, 3, "1/2-1/2"), (1, 4, "1/2-1/2"))
    # (4501 + 400) ÷ 3 = 1633 2/3.
    performance = Fraction(4901, 3)
    assert lines[1].before_adjustment == performance
    assert lines[1].new == 1633_67
    for number in (2, 3, 4):
        assert [game.reason for game in lines[number].games] == [GameReason.CE_PERFORMANCE]
        assert lines[number].games[0].opponent_rating == performance
    assert lines[2].games[0].difference == 1500 - performance
    # (2 × 1501 + 1633 2/3) ÷ 3 = 1545.222…
    assert lines[4].new == 1545_22


def test_pass_two_takes_the_performance_before_the_k_adjustment():
    lines = rate([ce(1), established(2, 2000)], (1, 2, "1-0"))
    # 2000 + 400; for himself 2100 + 300 × 0.75.
    assert lines[1].new == 2325_00
    assert lines[1].crossing is Crossing.ROSE_TO_2100
    assert lines[2].games[0].opponent_rating == 2400
    # We of -400 is 1/11: 2000 - 32/11 = 1997.0909…
    assert lines[2].new == 1997_09


def test_others_count_as_the_cycle_found_them_whatever_they_gain():
    players = [provisional(1, 1200, 0), established(2, 1600), established(3, 1600)]
    lines = rate(players, (1, 2, "1-0"), (1, 3, "1-0"), (2, 3, "1-0"))
    assert lines[1].new == 2000_00
    assert {game.opponent_rating for number in (2, 3) for game in lines[number].games} == {1200, 1600}
    assert {game.reason for line in lines.values() for game in line.games} == {GameReason.CYCLE_START}


def test_a_ce_player_without_a_counted_game_stays_ce_and_unrated():
    line = rate([ce(1, 1450_00), established(2, 1500)], (1, 2, "+/-"))[1]
    assert (line.formula, line.new, line.games_after) == (Formula.STILL_NEW, None, 0)
    assert line.games == (GameResult(1, 2, 2, GameReason.FORFEIT),)
    assert (line.old, line.gain, line.crossing) == (1300_00, 0, Crossing.NONE)
    assert line.formula.sentence == (
        "So How Did I Get That Rating?: new player, and no games count: stays unrated"
    )


def test_after_a_counted_game_a_ce_player_is_provisional():
    first = rate([ce(1), established(2, 1500)], (1, 2, "1/2-1/2"))[1]
    later = CyclePlayer(1, first.new, first.games_after)
    line = rate([later, established(2, 1600)], (1, 2, "1/2-1/2"))[1]
    # (1 × 1500 + 1600) ÷ 2.
    assert (line.formula, line.games_before, line.new) == (Formula.PROVISIONAL, 1, 1550_00)
    assert line.games[0].opponent_rating == 1600


# Provisional Ratings Calculation


def test_provisional_formula():
    players = [provisional(1, 1400, 8), established(2, 1600), established(3, 1500), established(4, 1250)]
    line = rate(players, (1, 2, "1-0"), (3, 1, "1/2-1/2"), (4, 1, "0-1"), (2, 1, "1-0"))[1]
    # ΣRo = 1600 + 1500 + 1250 + 1600 = 5950; ΣW = 2.5, ΣL = 1.5.
    # (8 × 1400 + 5950 + 400) ÷ 12 - 1400 = 17550 ÷ 12 - 1400 = 62.50.
    assert (line.opponents, line.half_points, line.bonus, line.counted) == (5950, 5, 400, 4)
    assert [game.bonus for game in line.games] == [400, 0, 400, -400]
    assert (line.gain, line.adjusted_gain, line.new) == (Fraction(125, 2), Fraction(125, 2), 1462_50)
    assert (line.formula, line.k, line.expected, line.games_after) == (Formula.PROVISIONAL, None, None, 12)
    assert {(game.difference, game.expected) for game in line.games} == {(None, None)}


def test_a_win_against_a_much_weaker_opponent_costs_a_provisional_player_points():
    # (4 × 2000 + 1100 + 400) ÷ 5: the text makes no exception.
    assert rate([provisional(1, 2000, 4), established(2, 1100)], (1, 2, "1-0"))[1].new == 1900_00


def test_there_is_no_floor():
    assert rate([provisional(1, 150, 0), established(2, 250.25)], (1, 2, "0-1"))[1].new == -149_75


def test_a_rated_player_with_no_earlier_games_gets_his_performance_and_counts_at_his_rating():
    lines = rate([provisional(1, 1800, 0), established(2, 1400)], (1, 2, "1/2-1/2"))
    assert (lines[1].formula, lines[1].new) == (Formula.PROVISIONAL, 1400_00)
    assert lines[2].games[0].opponent_rating == 1800


@pytest.mark.parametrize(
    ("games", "league", "formula"),
    [
        (19, {}, Formula.PROVISIONAL),
        (20, {}, Formula.ESTABLISHED),
        (25, {"provisional_limit": 26}, Formula.PROVISIONAL),
        (26, {"provisional_limit": 26}, Formula.ESTABLISHED),
        (0, {"provisional_limit": 0}, Formula.ESTABLISHED),
    ],
)
def test_provisional_is_who_has_fewer_games_before_the_cycle_than_the_limit(games, league, formula):
    players = [provisional(1, 1500, games), established(2, 1500)]
    # Five games, so that 19 become 24 on the way.
    line = rate(players, *[(1, 2, "1-0")] * 5, **league)[1]
    assert line.formula is formula
    # Established: 32 × (5 - 2.5). Provisional: 400 × 5 ÷ (np + 5).
    gain = 80 if formula is Formula.ESTABLISHED else Fraction(2000, games + 5)
    assert line.gain == gain


# Established Ratings Calculation


def test_established_formula():
    players = [established(1, 1500), established(2, 1500), established(3, 1900), established(4, 1100)]
    line = rate(players, (1, 2, "1-0"), (3, 1, "1/2-1/2"), (1, 4, "0-1"))[1]
    # We: 1/2, 1/11, 10/11; ΣW = 1.5, ΣWe = 1.5.
    assert [game.expected for game in line.games] == [Fraction(1, 2), Fraction(1, 11), Fraction(10, 11)]
    assert [game.difference for game in line.games] == [0, -400, 400]
    assert (line.formula.article, line.k, line.expected) == (ESTABLISHED, 32, Fraction(3, 2))
    assert (line.gain, line.new, line.half_points, line.opponents) == (0, 1500_00, 3, 4500)
    assert (line.bonus, {game.bonus for game in line.games}) == (None, {None})
    assert (line.games_before, line.games_after) == (20, 23)


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        # 10^(1/4) = 1.7782794100389228 (√√10): 1.7782794100389228 ÷ 2.7782794100389228.
        (100, "0.6400649998028850"),
        # √10 = 3.1622776601683793: 1 ÷ 4.1622776601683793 = (√10 - 1) ÷ 9.
        (-200, "0.2402530733520421"),
        # 10√10 ÷ (10√10 + 1) = (1000 - 31.6227766016838) ÷ 999: no cap at 400.
        (600, "0.9693465699682845"),
        # Hundredths count: 1/2 + x/4 - x³/48, where x = 0.01 ÷ 400 × ln 10 = 0.00005756462732485115.
        (Fraction(1, 100), "0.5000143911568272"),
    ],
)
def test_we_is_the_logistic_of_the_exact_difference_without_a_cap(difference, expected):
    assert abs(expected_score(Fraction(difference)) - Fraction(expected)) < Fraction(1, 10**16)


def test_we_is_exact_where_the_difference_is_a_multiple_of_400():
    assert [expected_score(Fraction(400 * n)) for n in (-2, -1, 0, 1, 3)] == [
        Fraction(1, 101),
        Fraction(1, 11),
        Fraction(1, 2),
        Fraction(10, 11),
        Fraction(1000, 1001),
    ]


@pytest.mark.parametrize(
    "difference", [Fraction(1, 3), Fraction(5, 2), Fraction(73511, 100), Fraction(10**9, 7)]
)
def test_the_two_sides_of_a_game_expect_exactly_one_point(difference):
    assert expected_score(difference) + expected_score(-difference) == 1


@pytest.mark.parametrize(
    ("points", "k"), [(1300, 32), (2099.99, 32), (2100, 24), (2399, 24), (2399.5, 24), (2400, 16), (2600, 16)]
)
def test_k_is_of_the_rating_at_the_cycle_s_start(points, k):
    assert k_factor(Fraction(round(points * 100), 100)) == k
    line = rate([established(1, points), established(2, points)], *[(1, 2, "1-0")] * 4)[1]
    # k × (4 - 2), wherever the rating gets on the way.
    assert (line.k, line.gain) == (k, 2 * k)


# K-Adjustment


@pytest.mark.parametrize(
    ("old", "new", "adjusted", "crossing"),
    [
        # RO, RN before, RN after: worked out by hand from the text, k_adjust_hand_derived.csv, its ten cases.
        ("2090", "2110", "2107.5", Crossing.ROSE_TO_2100),
        ("2090", "2095", "2095", Crossing.NONE),
        ("2110", "2080", "2073.4", Crossing.FELL_UNDER_2100),
        ("2390", "2414", "2409.24", Crossing.ROSE_OVER_2400),
        ("2410", "2394", "2391", Crossing.FELL_UNDER_2400),
        ("2410", "2420", "2420", Crossing.NONE),
        ("2200", "2150", "2150", Crossing.NONE),
        ("2395", "2400", "2400", Crossing.NONE),
        ("2099", "2099.5", "2099.5", Crossing.NONE),
        ("2090", "2410", "2332.5", Crossing.ROSE_TO_2100),
        # The borders themselves, by the conditions of the text.
        ("2099.99", "2100", "2100", Crossing.ROSE_TO_2100),
        ("2100", "2099.99", "2099.9867", Crossing.FELL_UNDER_2100),
        ("2399.99", "2400.01", "2400.0066", Crossing.ROSE_OVER_2400),
        ("2400", "2399.99", "2399.99", Crossing.NONE),
        ("2400", "2100", "2100", Crossing.NONE),
        ("2400.01", "2399.99", "2399.985", Crossing.FELL_UNDER_2400),
        # RO = 2400 past 2100 is no longer “both in 2100 to 2400”: 2400 - 320 × 1.5.
        ("2400", "2080", "1920", Crossing.FELL_UNDER_2400),
        # From over 2400 past 2100: at 2400 alone.
        ("2410", "2050", "1875", Crossing.FELL_UNDER_2400),
    ],
)
def test_k_adjustment(old, new, adjusted, crossing):
    assert k_adjustment(Fraction(old), Fraction(new)) == (crossing, Fraction(adjusted))


def test_a_crossing_names_its_border_and_multiplier():
    assert [(one.border, one.multiplier) for one in Crossing] == [
        (None, 1),
        (2100, Fraction(3, 4)),
        (2100, Fraction(133, 100)),
        (2400, Fraction(66, 100)),
        (2400, Fraction(3, 2)),
    ]
    assert {one.article for one in Crossing} == {"K-Adjustment"}


def test_k_adjustment_holds_for_provisional_ratings_too():
    line = rate([provisional(1, 2410, 9), established(2, 2270)], (1, 2, "0-1"))[1]
    # (9 × 2410 + 2270 - 400) ÷ 10 = 2356; 2400 - 44 × 1.5.
    assert (line.before_adjustment, line.crossing, line.new) == (2356, Crossing.FELL_UNDER_2400, 2334_00)
    assert (line.gain, line.adjusted_gain) == (-54, -76)


def test_k_adjustment_of_an_established_rating():
    line = rate([established(1, 2390), established(2, 2390)], (1, 2, "1-0"))[1]
    # 2390 + 24 × 0.5 = 2402; 2400 + 2 × 0.66.
    assert (line.gain, line.after_adjustment, line.new) == (12, Fraction("2401.32"), 2401_32)


# Rounding: once, after the adjustment, half up to two decimals.


def test_the_new_rating_is_rounded_once_after_the_adjustment_half_up():
    # 2099.98 + 16 = 2115.98; 2100 + 15.98 × 0.75 = 2111.985.
    line = rate([established(1, 2099.98), established(2, 2099.98)], (1, 2, "1-0"))[1]
    assert (line.after_adjustment, line.new) == (Fraction("2111.985"), 2111_99)
    # (1500 + 1500.01 + 0) ÷ 2 = 1500.005.
    line = rate([provisional(1, 1500, 1), established(2, 1500.01)], (1, 2, "1/2-1/2"))[1]
    assert line.new == 1500_01
    # (-10 - 10.01) ÷ 2 = -10.005: up is towards zero.
    line = rate([CyclePlayer(1, -10_00, 1), CyclePlayer(2, -10_01, 20)], (1, 2, "1/2-1/2"))[1]
    assert line.new == -10_00


def test_a_half_is_a_half_when_irrational_expectations_cancel():
    # We of +137.11 and -137.11 are 1 together: 2099.98 + 32 × (1.5 - 1), 15.98 × 0.75 as above.
    players = [established(1, 2099.98), established(2, 2099.98 + 137.11), established(3, 2099.98 - 137.11)]
    line = rate(players, (1, 2, "1/2-1/2"), (1, 3, "1-0"))[1]
    assert (line.expected, line.after_adjustment, line.new) == (1, Fraction("2111.985"), 2111_99)


def test_the_performance_is_not_rounded_before_the_adjustment():
    # (2101 + 2101 + 2100 + 0) ÷ 3 = 2100 2/3; + 2/3 × 0.75 = 2100.50. Rounded before: 0.67 × 0.75 = 0.5025.
    players = [ce(1), established(2, 2101), established(3, 2101), established(4, 2100)]
    line = rate(players, *[(1, other, "1/2-1/2") for other in (2, 3, 4)])[1]
    assert (line.after_adjustment, line.new) == (Fraction("2100.5"), 2100_50)


# What no reader may let through


@pytest.mark.parametrize(
    ("players", "games", "message"),
    [
        ([CyclePlayer(1, None, 3, True)], [], "player 1 has a captain’s estimate, but also earlier games: 3"),
        ([CyclePlayer(1, None)], [], "player 1 has neither a rating nor a captain’s estimate"),
        ([CyclePlayer(1, 1500_00, -1)], [], "player 1 cannot have -1 earlier games"),
        ([CyclePlayer(1, 1500_00), CyclePlayer(1, 1600_00)], [], "two players have the number 1"),
        ([CyclePlayer(1, 1500_00)], [(1, 1, "1-0")], "round 1: player 1 against themselves"),
        ([CyclePlayer(1, 1500_00)], [(1, 2, "1-0")], "round 1, 1 against 2: there is no player 2"),
        ([CyclePlayer(1, 1500_00)], [(2, 1, "+/-")], "round 1, 2 against 1: there is no player 2"),
        (
            [CyclePlayer(1, 1500_00), CyclePlayer(2, 1500_00)],
            [(1, 2, "0-0")],
            "round 1, 1 against 2: “0-0” isn’t one of 1-0, 1/2-1/2, 0-1, +/-, -/+, -/-",
        ),
        (
            [CyclePlayer(1, 1500_00)],
            [(1, None, "1-0")],
            "round 1: “1-0” isn’t the result of a board without a player",
        ),
        (
            [CyclePlayer(1, 1500_00)],
            [(None, 1, "+/-")],
            "round 1: “+/-” isn’t the result of a board without a player",
        ),
    ],
)
def test_refused(players, games, message):
    with pytest.raises(ValueError, match=r"\w") as refusal:
        rate(players, *games)
    assert str(refusal.value) == message


def test_there_are_six_results():
    assert [(one.value, one.half_points, one.away_half_points, one.is_forfeit) for one in BoardResult] == [
        ("1-0", 2, 0, False),
        ("1/2-1/2", 1, 1, False),
        ("0-1", 0, 2, False),
        ("+/-", 2, 0, True),
        ("-/+", 0, 2, True),
        ("-/-", 0, 0, True),
    ]


@pytest.mark.parametrize(
    ("home", "away", "results"),
    [
        (True, False, ["+/-", "-/-"]),
        (False, True, ["-/+", "-/-"]),
        (False, False, ["+/-", "-/+", "-/-"]),
    ],
)
def test_a_board_without_a_player_is_a_forfeit_that_only_the_other_side_wins(home, away, results):
    assert [one.value for one in results_of(home=home, away=away)] == results


def test_a_board_without_an_opponent_counts_for_nothing_and_is_seen_after_the_others():
    line = rate(
        [established(1, 1500), established(2, 1500)], (1, None, "+/-"), (None, 1, "-/-"), (1, 2, "1-0")
    )[1]
    assert line.games[:2] == (
        GameResult(1, None, 2, GameReason.FORFEIT),
        GameResult(2, None, 0, GameReason.FORFEIT),
    )
    # K 32 × (1 - 0.5).
    assert (line.counted, line.new, line.games_after) == (1, 1516_00, 21)
