"""RBB games to come, step by step. Ratings are hundredths, scores half points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.rules.rbb.rating import FLOOR, UNRATED, LedgerLine, Reason, k_factor, open_rating, rate_game
from ratings.rules.rbb.what_if import NextGame, play, titles_crossed
from ratings.rules.time_controls import Category

RAPID, BLITZ, BULLET = Category
WIN, DRAW, LOSS = 2, 1, 0


def test_3_11_each_game_starts_from_the_rating_after_the_one_before():
    lines = play(RAPID, open_rating(UNRATED, 1500_00), [NextGame(1600_00, WIN), NextGame(1600_00, WIN)])
    # D = 100: 0.36, 20 × 0.64 = 12.80; then D = 87.20 → 87: 0.38 (84–91), 20 × 0.62 = 12.40
    assert [(line.before, line.difference, line.expected, line.k, line.change) for line in lines] == [
        (1500_00, 100, 36, 20, 12_80),
        (1512_80, 87, 38, 20, 12_40),
    ]
    assert lines[-1].rating == 1525_20


def test_3_10_3_k_changes_after_the_30th_game():
    standing = open_rating(UNRATED, 1500_00, games=28, previously_unrated=True)
    lines = play(BULLET, standing, [NextGame(1500_00, DRAW)] * 4)
    assert [(line.games, line.k) for line in lines] == [(29, 40), (30, 40), (31, 10), (32, 10)]
    assert k_factor(BULLET, lines[1]) == 10


def test_3_6_an_unrated_start_goes_through_both_stages_and_on_with_40():
    games = [
        NextGame(1500_00, LOSS),
        NextGame(None, WIN),
        NextGame(1500_00, DRAW),
        NextGame(1600_00, LOSS),
        NextGame(1500_00, WIN),
        NextGame(1400_00, WIN),
        NextGame(1500_00, LOSS),
        NextGame(1500_00, WIN),
    ]
    lines = play(BLITZ, UNRATED, games)
    assert [line.reason for line in lines] == [
        Reason.LOSS_FORGOTTEN,
        Reason.BOTH_UNRATED,
        *[Reason.RESULT_COUNTED] * 4,
        Reason.FIRST_RATING,
        Reason.RATED,
    ]
    # 2.5 of 5 against 1500 on average: Rf = 1500 (3.7.3); then D = 0: 40 × 0.50
    assert lines[6].rating == 1500_00
    assert (lines[7].k, lines[7].change, lines[7].games) == (40, 20_00, 6)


def test_3_6_results_that_are_there_already_count():
    half_way = play(BLITZ, UNRATED, [NextGame(1500_00, WIN)] * 4)[-1]
    (line,) = play(BLITZ, LedgerLine(*half_way[:6]), [NextGame(1500_00, WIN)])
    assert line.rating == 1600_00  # 3.7.4: five half points over 50 %


def test_3_8_an_unrated_opponent_changes_nothing():
    (line,) = play(RAPID, open_rating(UNRATED, 1500_00), [NextGame(None, LOSS)])
    assert (line.reason, line.rating, line.change, line.games) == (Reason.OPPONENT_UNRATED, 1500_00, 0, 0)


def test_3_3_a_rating_under_the_floor_is_lost_and_3_6_begins_again():
    lost, counted = play(RAPID, open_rating(UNRATED, 105_00), [NextGame(105_00, LOSS), NextGame(500_00, WIN)])
    assert (lost.reason, lost.rating, lost.change) == (Reason.LOST_UNDER_FLOOR, None, -10_00)
    assert (counted.reason, counted.games) == (Reason.RESULT_COUNTED, 1)


def test_3_2_an_opponent_under_the_floor_would_be_unrated():
    assert play(RAPID, UNRATED, [NextGame(FLOOR, WIN)])[0].reason == Reason.RESULT_COUNTED
    with pytest.raises(ValueError, match=r"RBB 3\.2"):
        play(RAPID, UNRATED, [NextGame(FLOOR - 1, WIN)])


@pytest.mark.parametrize(
    ("before", "after", "reached", "left"),
    [
        (1399_99, 1400_00, ("AFM",), ()),  # the exact rating counts: 1399.99 is shown as 1400
        (1399_00, 1399_99, (), ()),
        (1400_00, 1400_10, (), ()),
        (1400_00, 1399_99, (), ("AFM",)),
        (None, 1750_00, ("AIM", "AFM", "ACM"), ()),  # a first rating
        (2000_00, None, (), ("AGM", "AIM", "AFM", "ACM")),  # lost under the floor
        (None, None, (), ()),
    ],
)
def test_titles_whose_rating_a_step_crosses(before, after, reached, left):
    assert titles_crossed(LedgerLine(after, before=before)) == (reached, left)


results = st.sampled_from([LOSS, DRAW, WIN])
pool = st.lists(st.one_of(st.none(), st.integers(FLOOR, 3000_00)), min_size=3, max_size=6)


@given(st.sampled_from(list(Category)), pool, st.data())
def test_what_if_is_what_the_office_makes_of_the_same_games(category, start, data):
    """Real games between members of whom the first, later, asks what would be."""
    members = [UNRATED if rating is None else open_rating(UNRATED, rating) for rating in start]
    numbers = st.integers(0, len(members) - 1)
    before = data.draw(st.integers(0, 20))
    for _ in range(before):
        white, black = data.draw(st.lists(numbers, min_size=2, max_size=2, unique=True))
        members[white], members[black] = rate_game(
            category, members[white], members[black], data.draw(results)
        )
    standing = LedgerLine(*members[0][:6])
    games, rows = [], []
    for opponent, result, is_white in data.draw(
        st.lists(st.tuples(st.integers(1, len(members) - 1), results, st.booleans()), max_size=40)
    ):
        games.append(NextGame(members[opponent].rating, result))
        if is_white:
            members[0], members[opponent] = rate_game(category, members[0], members[opponent], result)
        else:
            members[opponent], members[0] = rate_game(category, members[opponent], members[0], 2 - result)
        rows.append(members[0])
    assert play(category, standing, games) == rows
