"""RBB section 3, article by article. Ratings are in hundredths, scores in half points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.rules.rbb.rating import (
    FLOOR,
    STANDING,
    UNRATED,
    LedgerLine,
    Reason,
    adjust,
    first_rating,
    k_article,
    k_factor,
    open_rating,
    rate_game,
)
from ratings.rules.time_controls import Category

RAPID, BLITZ, BULLET = Category
WIN, DRAW, LOSS = 2, 1, 0


def rated(hundredths: int, **fields) -> LedgerLine:
    """A member with this rating."""
    return LedgerLine(hundredths, **{"peak": hundredths, **fields})


def unrated_plays(*games: tuple[int, int], start: LedgerLine = UNRATED) -> list[LedgerLine]:
    """The lines of an unrated member after games given as (opponent's rating in points, half points)."""
    lines = [start]
    for points, half_points in games:
        lines.append(rate_game(BLITZ, lines[-1], rated(points * 100), half_points)[0])
    return lines[1:]


def test_3_14_a_won_game_may_leave_the_displayed_rating():
    # 1799.6 wins and gains 0.6: K = 20 and PD = 0.97, so D lies between 518 and 559.
    white, black = rate_game(BLITZ, rated(1799_60), rated(1279_60), WIN)
    assert (white.difference, white.expected, white.k, white.change) == (520, 97, 20, 60)
    assert white.rating == 1800_20
    assert black.rating == 1279_00


def test_3_9_both_sides_use_the_ratings_before_the_game():
    white, black = rate_game(RAPID, rated(1500_00), rated(1600_00), WIN)
    # D = 100: H 0.64, L 0.36 (4.2); K = 20 (3.10.1)
    assert (white.change, black.change) == (1280, -1280)
    assert (white.rating, black.rating) == (1512_80, 1587_20)
    assert (white.opponent_rating, black.opponent_rating) == (1600_00, 1500_00)
    assert white.reason == black.reason == Reason.RATED


@pytest.mark.parametrize(
    ("higher", "lower", "difference", "expected"),
    [
        (1503_49, 1500_00, 3, 50),
        (1503_50, 1500_00, 4, 51),  # half up: 3.50 is 4
        (1510_49, 1500_00, 10, 51),
        (1510_50, 1500_00, 11, 52),
        (2235_49, 1500_00, 735, 99),
        (2235_50, 1500_00, 736, 100),
    ],
)
def test_3_9_1_the_difference_of_exact_ratings_is_rounded_half_up(higher, lower, difference, expected):
    for white, black, pd in ((higher, lower, expected), (lower, higher, 100 - expected)):
        line, other = rate_game(BLITZ, rated(white), rated(black), DRAW)
        assert (line.difference, line.expected) == (difference, pd)
        assert (other.difference, other.expected) == (difference, 100 - pd)


def test_3_9_1_above_735_a_win_gives_nothing_and_a_loss_costs_all_of_k():
    winner, loser = rate_game(BLITZ, rated(2400_00), rated(1600_00), WIN)
    assert (winner.change, loser.change) == (0, 0)
    loser, winner = rate_game(BLITZ, rated(2400_00), rated(1600_00), LOSS)
    assert (loser.change, winner.change) == (-2000, 2000)


@pytest.mark.parametrize(("category", "k"), [(RAPID, 20), (BLITZ, 20), (BULLET, 10)])
def test_3_10_k_of_the_category(category, k):
    line, _ = rate_game(category, rated(1500_00), rated(1500_00), WIN)
    assert (line.k, line.change) == (k, k * 50)


@pytest.mark.parametrize(("completed", "k"), [(5, 40), (28, 40), (29, 40), (30, 20), (31, 20)])
def test_3_10_3_games_6_to_30_use_40_and_the_31st_does_not(completed, k):
    standing = rated(1500_00, games=completed, previously_unrated=True)
    assert k_factor(BLITZ, standing) == k
    line, _ = rate_game(BLITZ, standing, rated(1500_00), WIN)
    assert (line.k, line.games) == (k, completed + 1)


def test_3_10_3_applies_in_bullet_too():
    assert k_factor(BULLET, rated(1500_00, games=29, previously_unrated=True)) == 40
    assert k_factor(BULLET, rated(1500_00, games=30, previously_unrated=True)) == 10


def test_3_10_3_a_member_rated_by_3_4_never_has_40():
    assert k_factor(BLITZ, open_rating(UNRATED, 1500_00)) == 20


@pytest.mark.parametrize(
    ("category", "k", "article"),
    [
        (RAPID, 20, "3.10.1"),
        (BLITZ, 20, "3.10.1"),
        (BULLET, 10, "3.10.2"),
        (BULLET, 40, "3.10.3"),
        (RAPID, 40, "3.10.3"),
    ],
)
def test_3_10_each_k_has_its_paragraph(category, k, article):
    assert k_article(category, k) == article


def test_3_2_exactly_100_stays():
    # 101.00 loses at D = 0 with K = 20: a draw against 100 points more, see below; here -1.00 by 3.15.
    assert adjust(BLITZ, rated(101_00), -1_00).rating == FLOOR


def test_3_2_below_100_is_lost_even_if_it_would_be_displayed_as_100():
    line = adjust(BLITZ, rated(101_00), -1_01)
    assert line.rating is None
    assert (line.reason, line.before, line.change) == (Reason.LOST_UNDER_FLOOR, 101_00, -1_01)


def test_3_3_a_game_below_the_floor_takes_rating_and_count_but_not_the_peak():
    standing = rated(105_00, games=44, peak=900_00)
    line, winner = rate_game(BLITZ, standing, rated(105_00), LOSS)
    assert line[:STANDING] == (None, 0, False, 0, 0, 900_00)
    assert (line.reason, line.change, line.k) == (Reason.LOST_UNDER_FLOOR, -1000, 20)
    assert winner.rating == 115_00


def test_3_3_after_the_floor_3_6_begins_anew_and_3_10_3_applies():
    fallen, _ = rate_game(BLITZ, rated(105_00, games=44, peak=900_00), rated(105_00), LOSS)
    lines = unrated_plays((300, WIN), (300, DRAW), (300, LOSS), (300, LOSS), (300, WIN), start=fallen)
    assert [line.games for line in lines] == [1, 2, 3, 4, 5]
    assert lines[-1].rating == 300_00
    assert lines[-1].previously_unrated
    assert lines[-1].peak == 900_00
    assert k_factor(BLITZ, lines[-1]) == 40


def test_3_4_is_not_applied_a_second_time_after_the_floor():
    fallen = adjust(BLITZ, rated(101_00), -50_00)
    line = open_rating(fallen, 1500_00)
    assert line.rating is None
    assert line.reason == Reason.OPENING_NOT_APPLIED


def test_3_4_gives_a_rating_once():
    line = open_rating(UNRATED, 1850_25, games=12, previously_unrated=True)
    assert line[:STANDING] == (1850_25, 12, True, 0, 0, 1850_25)
    assert (line.before, line.change, line.reason) == (None, None, Reason.OPENING)
    again = open_rating(line, 2000_00)
    assert (again.rating, again.before, again.reason) == (1850_25, 1850_25, Reason.OPENING_NOT_APPLIED)


def test_3_4_ends_the_stages_of_3_6():
    half_way = unrated_plays((1500, WIN), (1500, WIN))[-1]
    assert open_rating(half_way, 1700_00)[:STANDING] == (1700_00, 0, False, 0, 0, 1700_00)


def test_3_4_under_the_floor_is_no_rating():
    with pytest.raises(ValueError, match=r"RBB 3\.2"):
        open_rating(UNRATED, 99_99)
    assert open_rating(UNRATED, FLOOR).rating == FLOOR


def test_3_6_1_losses_before_the_first_draw_or_win_are_forgotten():
    lines = unrated_plays((1500, LOSS), (1600, LOSS), (1700, DRAW))
    assert [line.reason for line in lines] == [
        Reason.LOSS_FORGOTTEN,
        Reason.LOSS_FORGOTTEN,
        Reason.RESULT_COUNTED,
    ]
    assert [line.games for line in lines] == [0, 0, 1]
    assert (lines[-1].first_half_points, lines[-1].first_opponents) == (1, 1700_00)


def test_3_6_2_then_four_more_results_count_whatever_they_are():
    lines = unrated_plays((1700, DRAW), (1600, LOSS), (1500, LOSS), (1400, LOSS))
    assert [line.games for line in lines] == [1, 2, 3, 4]
    assert [line.rating for line in lines] == [None] * 4


def test_3_6_2_a_game_between_two_unrated_players_counts_for_nothing():
    half_way = unrated_plays((1500, WIN))[-1]
    white, black = rate_game(BLITZ, half_way, UNRATED, WIN)
    assert white[:STANDING] == half_way[:STANDING]
    assert black[:STANDING] == UNRATED[:STANDING]
    assert white.reason == black.reason == Reason.BOTH_UNRATED


def test_3_8_the_rated_player_is_not_affected():
    standing = rated(1500_00, games=17, previously_unrated=True)
    _, line = rate_game(BLITZ, UNRATED, standing, WIN)
    assert line[:STANDING] == standing[:STANDING]
    assert (line.reason, line.change, line.before) == (Reason.OPPONENT_UNRATED, 0, 1500_00)
    assert line.half_points == LOSS


# Half points of five games, opponents (points), Ra and Rf in hundredths. The first row is FIDE's own
# calculation for these games (its Rp column prints 1921); those against one rating throughout are FIDE's
# calculator for initial ratings (same rule: Ra, Ra + 20 per half point, Ra + dp); 0.10 is table 4.1 alone.
FIRST_RATINGS = [
    ((1902, 1877, 1884, 2012, 1832), (1, 1, 2, 0, 2), 1901_40, 1921_40),
    ((2000,) * 5, (2, 2, 1, 0, 0), 2000_00, 2000_00),  # 3.7.3
    ((2000,) * 5, (2, 2, 2, 0, 0), 2000_00, 2020_00),  # 3.7.4
    ((2000,) * 5, (2, 2, 0, 0, 0), 2000_00, 1928_00),  # 3.7.5: dp(0.40) = -72
    ((2100,) * 5, (2, 2, 2, 2, 2), 2100_00, 2200_00),  # 3.7.4: five half points, never dp 800
    ((1600,) * 5, (2, 0, 0, 0, 0), 1600_00, 1360_00),  # 3.7.5: dp(0.20) = -240
    ((1600,) * 5, (1, 0, 0, 0, 0), 1600_00, 1234_00),  # 3.7.5: dp(0.10) = -366
    ((2400,) * 5, (2, 2, 2, 0, 0), 2400_00, 2420_00),
    ((1657,) * 5, (2, 2, 2, 0, 0), 1657_00, 1677_00),
]


@pytest.mark.parametrize(("opponents", "scores", "average", "rating"), FIRST_RATINGS)
def test_3_7_first_ratings(opponents, scores, average, rating):
    assert first_rating(sum(scores), sum(opponents) * 100)[::2] == (average, rating)
    line = unrated_plays(*zip(opponents, sorted(scores, reverse=True), strict=True))[-1]
    assert line[:STANDING] == (rating, 5, True, sum(scores), sum(opponents) * 100, rating)
    assert (line.reason, line.change, line.before) == (Reason.FIRST_RATING, None, None)


def test_3_7_1_the_mean_of_exact_ratings_is_rounded_half_up_to_two_places():
    # 1500.01 + 4 × 1500.00 = 7500.01; / 5 = 1500.002; and 7500.03 / 5 = 1500.006
    assert first_rating(5, 7500_01).average == 1500_00
    assert first_rating(5, 7500_03).average == 1500_01


def test_3_7_a_first_rating_under_the_floor_begins_again():
    lines = unrated_plays((400, DRAW), (400, LOSS), (400, LOSS), (400, LOSS), (400, LOSS))
    assert lines[-1].rating is None  # 400 - 366 = 34
    assert lines[-1].reason == Reason.FIRST_RATING_BELOW_FLOOR
    assert lines[-1].games == 5
    lost, drawn = unrated_plays((400, LOSS), (400, DRAW), start=lines[-1])
    assert (lost.reason, lost.games) == (Reason.LOSS_FORGOTTEN, 0)
    assert (drawn.reason, drawn.games, drawn.first_opponents) == (Reason.RESULT_COUNTED, 1, 400_00)


def test_3_10_3_the_five_results_are_the_first_five_of_the_30():
    line = unrated_plays(*[(1500, WIN)] * 5)[-1]
    ks = []
    for _ in range(27):
        line, _ = rate_game(BLITZ, line, rated(line.rating), DRAW)
        ks.append(line.k)
    assert ks == [40] * 25 + [20, 20]


def test_3_15_the_sum_of_changes_is_added_and_games_are_not_touched():
    standing = rated(1500_10, games=7, previously_unrated=True)
    line = adjust(RAPID, standing, -12_00)
    assert line[:STANDING] == (1488_10, 7, True, 0, 0, 1500_10)
    assert (line.reason, line.change, line.before) == (Reason.ADJUSTED, -1200, 1500_10)
    assert adjust(RAPID, standing, 100_00).peak == 1600_10


def test_3_15_an_unrated_member_gets_nothing():
    line = adjust(RAPID, UNRATED, 10_00)
    assert line[:STANDING] == UNRATED[:STANDING]
    assert line.reason == Reason.ADJUSTMENT_UNRATED


def test_1_3_bullet_is_never_adjusted():
    with pytest.raises(ValueError, match=r"RBB 1\.3"):
        adjust(BULLET, rated(1500_00), 10_00)


def test_the_peak_is_the_highest_rating_ever():
    up, _ = rate_game(BLITZ, rated(1500_00), rated(1500_00), WIN)
    down, _ = rate_game(BLITZ, up, rated(1500_00), LOSS)
    assert (up.peak, down.peak) == (1510_00, 1510_00)


def test_every_reason_names_its_article():
    assert all(reason.sentence.startswith("3.") for reason in Reason)


ratings = st.integers(FLOOR + 40_00, 3500_00)
scores = st.sampled_from([LOSS, DRAW, WIN])
categories = st.sampled_from(list(Category))


@given(categories, ratings, ratings, scores)
def test_at_equal_k_what_one_gains_the_other_loses(category, white, black, half_points):
    one, other = rate_game(category, rated(white), rated(black), half_points)
    assert one.change == -other.change
    assert one.rating + other.rating == white + black


standings = st.one_of(
    st.builds(rated, ratings, games=st.integers(0, 60), previously_unrated=st.booleans()),
    st.integers(0, 4).flatmap(
        lambda games: st.builds(
            LedgerLine,
            rating=st.none(),
            games=st.just(games),
            previously_unrated=st.booleans(),
            peak=st.none(),
            first_half_points=st.integers(min(games, 1), 2 * games),
            first_opponents=st.integers(games * FLOOR, games * 3500_00),
        )
    ),
)


@given(categories, standings, standings, scores)
def test_ratings_are_whole_hundredths_and_never_under_the_floor(category, white, black, half_points):
    for line in rate_game(category, white, black, half_points):
        assert line.rating is None or (type(line.rating) is int and line.rating >= FLOOR)
        assert line.rating is None or line.peak >= line.rating


@given(categories, standings, standings, scores)
def test_colours_make_no_difference(category, white, black, half_points):
    assert (
        rate_game(category, white, black, half_points)
        == rate_game(category, black, white, 2 - half_points)[::-1]
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), scores), max_size=60), st.integers(0, 60))
def test_replay_of_parts_equals_replay_of_the_whole(games, cut):
    def replay(lines, some):
        for white, black, half_points in some:
            if white != black:
                lines[white], lines[black] = rate_game(BLITZ, lines[white], lines[black], half_points)
        return lines

    def start():
        return [UNRATED, UNRATED, rated(1500_00), rated(140_00)]

    in_parts = [LedgerLine(*line[:STANDING]) for line in replay(start(), games[:cut])]
    whole = replay(start(), games)
    assert [line[:STANDING] for line in replay(in_parts, games[cut:])] == [line[:STANDING] for line in whole]
