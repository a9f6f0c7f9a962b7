"""What every score in the games to go would give an unrated member (RBB 3.6, 3.7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.rules.rbb.rating import FLOOR, UNRATED, LedgerLine, rate_game
from ratings.rules.rbb.what_if import games_to_go, outcomes
from ratings.rules.time_controls import Category

WIN, DRAW, LOSS = 2, 1, 0


def played(*games: tuple[int, int], start: LedgerLine = UNRATED) -> LedgerLine:
    """Where an unrated member stands after games given as (opponent's hundredths, half points)."""
    line = start
    for opponent, half_points in games:
        line, _ = rate_game(Category.BLITZ, line, LedgerLine(opponent, peak=opponent), half_points)
    return line


def test_3_6_1_without_a_draw_or_win_there_is_no_first_rating():
    assert outcomes(UNRATED, 1500_00)[0] == (0, None, "3.6.1")


def test_3_7_every_score_over_five_games():
    # Ra = 1500; below 50 % dp of table 4.1: p = 0.10 -366, 0.20 -240, 0.30 -149, 0.40 -72; above, 20 a half
    assert outcomes(UNRATED, 1500_00)[1:] == [
        (1, 1134_00, "3.7.5"),
        (2, 1260_00, "3.7.5"),
        (3, 1351_00, "3.7.5"),
        (4, 1428_00, "3.7.5"),
        (5, 1500_00, "3.7.3"),
        (6, 1520_00, "3.7.4"),
        (7, 1540_00, "3.7.4"),
        (8, 1560_00, "3.7.4"),
        (9, 1580_00, "3.7.4"),
        (10, 1600_00, "3.7.4"),
    ]


def test_3_6_2_what_is_there_already_counts():
    # A draw with 1600.00 and a loss to 1700.50; three games to go against 1500.00: Ra = 7800.50 / 5 = 1560.10
    standing = played((1600_00, DRAW), (1700_50, LOSS))
    assert games_to_go(standing) == 3
    assert outcomes(standing, 1500_00) == [
        (0, 1194_10, "3.7.5"),
        (1, 1320_10, "3.7.5"),
        (2, 1411_10, "3.7.5"),
        (3, 1488_10, "3.7.5"),
        (4, 1560_10, "3.7.3"),
        (5, 1580_10, "3.7.4"),
        (6, 1600_10, "3.7.4"),
    ]


def test_3_2_under_the_floor_there_is_none():
    # Ra = 400: -366 for half a point leaves 34, -240 for a point leaves 160
    assert outcomes(UNRATED, 400_00)[1:3] == [(1, None, "3.2"), (2, 160_00, "3.7.5")]


def test_3_7_five_results_under_the_floor_are_none():
    begins_again = played((400_00, DRAW), *[(400_00, LOSS)] * 4)
    assert begins_again.games == 5
    assert games_to_go(begins_again) == 5
    assert outcomes(begins_again, 1500_00) == outcomes(UNRATED, 1500_00)


def test_a_forgotten_loss_changes_nothing():
    assert outcomes(played((1500_00, LOSS)), 1500_00) == outcomes(UNRATED, 1500_00)


def test_opponents_under_the_floor_would_be_unrated():
    with pytest.raises(ValueError, match=r"3\.2"):
        outcomes(UNRATED, FLOOR - 1)


results = st.sampled_from([LOSS, DRAW, WIN])
games = st.tuples(st.integers(FLOOR, 3000_00), results)


@given(st.lists(games, max_size=4), st.data())
def test_playing_the_games_gives_what_was_foretold(before, data):
    standing = played(*before)
    to_go = games_to_go(standing)
    average = data.draw(st.integers(FLOOR, 3000_00))
    spread = data.draw(st.integers(0, average - FLOOR))
    opponents = [average] * to_go
    if to_go > 1:  # opponents of different strength with the same average
        opponents[0] += spread
        opponents[-1] -= spread
    scores = data.draw(st.lists(results, min_size=to_go, max_size=to_go))
    if standing.games == 0 and any(scores):  # RBB 3.6.1: losses before the first draw or win do not count
        scores.sort(reverse=True)
    line = played(*zip(opponents, scores, strict=True), start=standing)
    foretold = {half_points: rating for half_points, rating, _ in outcomes(standing, average)}
    assert foretold[sum(scores)] == line.rating
