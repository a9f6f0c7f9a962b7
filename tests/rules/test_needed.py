"""The least score that reaches a rating. RBB ratings are hundredths, others points; scores half points."""

from collections import defaultdict
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.rules.b02.editions import B02_2009
from ratings.rules.fide_page.estimates import Game, estimate
from ratings.rules.needed import (
    MOST_GAMES,
    most_games,
    needed_by_formula,
    needed_first_rating,
    needed_in_b02,
    needed_in_rbb,
)
from ratings.rules.rbb.editions import ANY_RATING, PRINTED, Amendment, KRule
from ratings.rules.rbb.rating import FLOOR, UNRATED, LedgerLine, open_rating, rate_game
from ratings.rules.rbb.what_if import NextGame, best_first, play
from ratings.rules.rounding import displayed
from ratings.rules.tables import expected_score
from ratings.rules.time_controls import Category

needed_in_2009 = partial(needed_in_b02, edition=B02_2009)

RAPID, BLITZ, BULLET = Category
WIN, DRAW, LOSS = 2, 1, 0


def at(hundredths: int, **more) -> LedgerLine:
    return open_rating(UNRATED, hundredths, **more)


def test_rbb_one_game_between_equals():
    # K = 20, PD = 0.50: a win gives 10.00, a draw nothing
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 1, 1510_00) == (1, WIN, WIN, 1510_00)
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 1, 1510_01) == (1, None, None, 1510_00)
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 1, 1500_01) == (1, WIN, WIN, 1510_00)


def test_rbb_break_even_is_the_own_rating_as_the_target():
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 1, 1500_00).half_points == DRAW
    # D = 100: 0.36 a game; 1.5 of 4 would be 0.375
    assert needed_in_rbb(BULLET, at(1500_00), 1600_00, 4, 1500_00)[:3] == (4, 3, 3)


def test_rbb_the_order_of_a_win_and_a_loss_decides():
    # Win and loss at D = 0: +10, then D = 10: -20 × 0.51 = 1499.80. Loss and win: 1490, +20 × 0.51 = 1500.20.
    # Two draws leave 1500.00. So a point over two games is enough for 1500.20 in the best order only, and for
    # 1499.80 in any.
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 2, 1500_20)[1:3] == (3, 2)
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 2, 1500_21)[1:3] == (3, 3)
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 2, 1500_00)[1:3] == (3, 2)
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 2, 1499_80)[1:3] == (2, 2)


def test_rbb_a_target_below_the_own_rating_is_one_not_to_fall_under():
    # One loss at D = 0 costs 10.00
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 1, 1490_00).half_points == LOSS
    assert needed_in_rbb(RAPID, at(1500_00), 1500_00, 1, 1490_01).half_points == DRAW


def test_3_10_3_rbb_the_40_of_a_member_once_unrated_ends_on_the_way():
    standing = at(1500_00, games=29, previously_unrated=True)
    # 40 × 0.50 = 20.00, then D = 20: 20 × 0.47 = 9.40
    assert needed_in_rbb(BLITZ, standing, 1500_00, 2, 1529_40) == (2, 4, 4, 1529_40)
    assert needed_in_rbb(BLITZ, standing, 1500_00, 2, 1529_41) == (2, None, None, 1529_40)


def test_3_3_rbb_an_order_that_loses_the_rating_on_the_way_is_not_enough():
    # 105.00 at D = 0: a loss costs 10.00, and the rating. A win first: 115.00, then D = 10: -10.20, 104.80.
    needed = needed_in_rbb(RAPID, at(105_00), 105_00, 2, FLOOR)
    assert needed[1:3] == (3, 2)
    assert [
        line.rating for line in play(RAPID, at(105_00), [NextGame(105_00, WIN), NextGame(105_00, LOSS)])
    ] == [
        115_00,
        104_80,
    ]


@pytest.mark.parametrize(
    ("before", "opponents", "games", "target", "why"),
    [
        (UNRATED, 1500_00, 5, 1500_00, r"3\.6"),
        (at(1500_00), FLOOR - 1, 5, 1500_00, r"3\.2"),
        (at(1500_00), 1500_00, 5, FLOOR - 1, r"3\.2"),
        (at(1500_00), 1500_00, 0, 1500_00, "0 games"),
        (at(1500_00), 1500_00, MOST_GAMES + 1, 1500_00, "101 games"),
    ],
)
def test_rbb_what_cannot_be_asked(before, opponents, games, target, why):
    with pytest.raises(ValueError, match=why):
        needed_in_rbb(RAPID, before, opponents, games, target)


@pytest.mark.parametrize(("k", "apart"), [(10, 10), (20, 20), (40, 40), (20, 40), (10, 40)])
def test_the_higher_of_two_ratings_of_one_player_is_never_overtaken_after_the_same_result(k, apart):
    """All differences of table 4.2, a hundredth at a time; ``apart``: the least distance there can be."""

    def after(difference: int) -> int:
        whole = displayed(abs(difference))
        return difference - k * expected_score(whole if difference >= 0 else -whole)

    assert all(after(d) <= after(d + apart) for d in range(-800_00, 800_00))


def needed_by_trying(category, standing, opponents, games, target, edition=PRINTED):
    """Every order of every score, in sets of the ratings they lead to; None: lost under the floor."""
    opponent = at(opponents)
    reached = {0: {standing.rating}}
    for played in range(games):
        after = defaultdict(set)
        for (score, ratings), result in product(reached.items(), (LOSS, DRAW, WIN)):
            for rating in ratings:
                line = standing._replace(rating=rating, games=standing.games + played)
                if rating is not None:
                    line, _ = rate_game(category, line, opponent, result, edition)
                after[score + result].add(line.rating)
        reached = after
    return tuple(
        next(
            (
                score
                for score in sorted(reached)
                if all(
                    how(rating is not None and rating >= target for rating in ratings)
                    for higher, ratings in reached.items()
                    if higher >= score
                )
            ),
            None,
        )
        for how in (all, any)
    )


@given(
    st.sampled_from(list(Category)),
    st.one_of(
        st.builds(at, st.integers(FLOOR, 3000_00)),
        st.builds(
            at, st.integers(FLOOR, 3000_00), games=st.integers(5, 32), previously_unrated=st.just(True)
        ),
        st.builds(at, st.integers(FLOOR, 160_00)),
    ),
    st.integers(-800_00, 800_00),
    st.integers(1, 12),
    st.integers(-120_00, 120_00),
)
def test_rbb_needed_is_the_least_over_all_orders(category, standing, difference, games, gain):
    opponents = max(standing.rating + difference, FLOOR)
    target = max(standing.rating + gain, FLOOR)
    needed = needed_in_rbb(category, standing, opponents, games, target)
    assert needed[1:3] == needed_by_trying(category, standing, opponents, games, target)


@given(
    st.integers(1900_00, 2100_00),
    st.integers(-300_00, 300_00),
    st.integers(1, 8),
    st.integers(-60_00, 60_00),
    st.integers(1, 60),
    st.integers(1, 60),
)
def test_rbb_needed_is_the_least_over_all_orders_where_k_depends_on_the_rating(
    rating, difference, games, gain, above, below
):
    rules = (KRule(above, ratings=(2000_00, ANY_RATING)), KRule(below, ratings=(1950_00, 2000_00)))
    edition = PRINTED.amended(Amendment(k_rules=rules))
    asked = RAPID, at(rating), rating + difference, games, rating + gain, edition
    assert needed_in_rbb(*asked)[1:3] == needed_by_trying(*asked)


def test_rbb_the_lower_rating_can_overtake_where_k_depends_on_the_rating():
    # Of two ratings on both sides of 2000, a win takes the lower one further, with K = 20 and not 10.
    edition = PRINTED.amended(Amendment(k_rules=(KRule(10, ratings=(2000_00, ANY_RATING)),)))
    asked = RAPID, at(1995_00), 2000_00, 3, 2005_70, edition
    assert needed_in_rbb(*asked) == (3, 5, 4, 2015_00)
    assert needed_by_trying(*asked) == (5, 4)


def test_rbb_games_are_fewer_where_all_ratings_are_played_on():
    edition = PRINTED.amended(Amendment(k_rules=(KRule(10, categories=(BLITZ,)),)))
    assert most_games(BLITZ, at(1500_00), edition) == 10
    assert most_games(RAPID, at(1500_00), edition) == most_games(BLITZ, at(1500_00), PRINTED) == MOST_GAMES
    new = at(1500_00, games=5, previously_unrated=True)
    assert most_games(RAPID, new, PRINTED.amended(Amendment(k=(15, None, None)))) == 10
    assert most_games(RAPID, new, PRINTED.amended(Amendment(k=(8, None, None)))) == MOST_GAMES
    with pytest.raises(ValueError, match="11 games: from 1 to 10"):
        needed_in_rbb(BLITZ, at(1500_00), 1500_00, 11, 1500_00, edition)


@given(
    st.integers(1000_00, 3000_00),
    st.integers(-400_00, 400_00),
    st.integers(1, MOST_GAMES),
    st.integers(0, 200_00),
)
def test_rbb_the_needed_score_is_enough_and_half_a_point_less_is_not(rating, difference, games, gain):
    standing, opponents = at(rating), rating + difference
    needed = needed_in_rbb(RAPID, standing, opponents, games, rating + gain)

    def worst_first(score):
        return play(
            RAPID, standing, [NextGame(opponents, result) for result in best_first(score, games)[::-1]]
        )

    if needed.half_points is None:
        assert needed.most < rating + gain
        return
    # Half a point less: even with the wins last, where they are worth most, it is short.
    if needed.in_best_order:
        assert (worst_first(needed.in_best_order - 1)[-1].rating or 0) < rating + gain
    assert (worst_first(needed.half_points)[-1].rating or 0) >= rating + gain
    assert needed.in_best_order <= needed.half_points


def test_first_rating_3_7_every_target_against_1500():
    # The list of test_coach: 1134 for half a point, 1260, 1351, 1428, 1500, then 20 a half point up to 1600
    assert needed_first_rating(UNRATED, 1500_00, 1500_00) == (5, 5, 5, 1600_00)
    assert needed_first_rating(UNRATED, 1500_00, 1500_01).half_points == 6
    assert needed_first_rating(UNRATED, 1500_00, 1351_00).half_points == 3
    assert needed_first_rating(UNRATED, 1500_00, 1600_00).half_points == 10
    assert needed_first_rating(UNRATED, 1500_00, 1600_01) == (5, None, None, 1600_00)


def test_first_rating_3_6_1_no_point_gives_none():
    assert needed_first_rating(UNRATED, 1500_00, FLOOR).half_points == 1
    assert needed_first_rating(UNRATED, 1500_00, 0).half_points == 1


def test_first_rating_3_6_2_what_is_there_already_counts():
    # test_coach: a draw with 1600.00 and a loss to 1700.50; 1.5 of three give 1488.10, two 1560.10
    standing = play(BLITZ, UNRATED, [NextGame(1600_00, DRAW), NextGame(1700_50, LOSS)])[-1]
    assert needed_first_rating(standing, 1500_00, 1500_00) == (3, 4, 4, 1600_10)


def test_first_rating_3_2_there_may_be_none_even_with_a_win():
    # 1.5 of 5 against 100 on average: dp(0.30) = -149
    standing = play(BLITZ, UNRATED, [NextGame(FLOOR, DRAW), *[NextGame(FLOOR, LOSS)] * 3])[-1]
    assert needed_first_rating(standing, FLOOR, FLOOR) == (1, None, None, None)


def test_first_rating_is_for_the_unrated():
    with pytest.raises(ValueError, match=r"3\.6"):
        needed_first_rating(at(1500_00), 1500_00, 1600_00)


def test_b02_the_rounded_rating_reaches_the_target():
    # D = 100: 0.36; K = 15, 9 games: We = 3.24. 5 points: 26.4 → 1526; 4.5: 18.9 → 1519
    assert needed_in_2009(1500, 15, 1600, 9, 1526)[:3] == (9, 10, 10)
    assert needed_in_2009(1500, 15, 1600, 9, 1519)[:3] == (9, 9, 9)
    assert needed_in_2009(1500, 15, 1600, 9, 1520)[:3] == (9, 10, 10)
    # All nine: 86.4 → 1586
    assert needed_in_2009(1500, 15, 1600, 9, 1587) == (9, None, None, 1586_00)


def test_8_54_b02_more_than_400_points_count_as_400():
    # P(-400) = 0.08: 10 × (1 - 0.08) = 9.2, → 1509
    assert needed_in_2009(1500, 10, 2500, 1, 1509).half_points == WIN
    assert needed_in_2009(1500, 10, 2500, 1, 1510).half_points is None


def test_formula_the_rating_of_two_decimals_reaches_the_target():
    # 20 × (S - 4 × 0.3599350): two points 11.205200, 1.5 points 1.205200
    assert needed_by_formula(1500, 20, 1600, 4, 1511) == (4, 4, 4, 1551_21)
    assert needed_by_formula(1500, 20, 1600, 4, 1512).half_points == 5
    assert needed_by_formula(1500, 20, 1600, 4, 1500).half_points == 3
    assert needed_by_formula(1500, 20, 1600, 4, 1552).half_points is None


def test_formula_what_is_shown_as_the_target_has_not_reached_it():
    # E(-70) = 1/(1 + 1.4962357) = 0.4006032: a win gives 11.987936, and 1511.99 is not 1512
    assert needed_by_formula(1500, 20, 1570, 1, 1512) == (1, None, None, 1511_99)


def test_formula_a_floor_makes_any_score_enough():
    assert needed_by_formula(1500, 20, 1600, 4, 1500, floor=1500).half_points == 0


whole = st.integers(100, 3000)


@given(whole, whole, st.integers(1, MOST_GAMES), st.integers(-100, 200), st.sampled_from([10, 20, 40]))
def test_formula_half_a_point_less_does_not_reach_it(rating, opponents, games, gain, k):
    needed = needed_by_formula(rating, k, opponents, games, rating + gain)

    def after(score):
        results = [Game(opponents, result) for result in best_first(score, games)]
        return estimate(rating, 30, results, k=k).rating

    target = 100 * (rating + gain)
    if needed.half_points is None:
        assert needed.most == after(2 * games) < target
    else:
        assert after(needed.half_points) >= target
        assert needed.half_points == 0 or after(needed.half_points - 1) < target


@given(whole, whole, st.integers(1, MOST_GAMES), st.integers(-100, 200), st.sampled_from([10, 15, 25]))
def test_b02_half_a_point_less_does_not_reach_it(rating, opponents, games, gain, k):
    needed = needed_in_2009(rating, k, opponents, games, rating + gain)
    expected = games * expected_score(max(-400, min(400, rating - opponents)))

    def after(score):
        return displayed(100 * rating + k * (50 * score - expected))

    if needed.half_points is None:
        assert needed.most == 100 * after(2 * games) < 100 * (rating + gain)
    else:
        assert after(needed.half_points) >= rating + gain
        assert needed.half_points == 0 or after(needed.half_points - 1) < rating + gain
