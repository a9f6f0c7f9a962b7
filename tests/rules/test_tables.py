"""RBB 4.1 and 4.2, checked against the printed tables as they were typed a second time."""

import pytest

from ratings.rules.tables import DP, EXPECTED_HIGHER, PD_ROWS, expected_score, pd_row
from tests.rules.printed import printed_dp, printed_pd

DP_ROWS = {round(100 * p): dp for p, dp in printed_dp().items()}
PD_ROWS_PRINTED = [
    (first, last, round(100 * higher), round(100 * lower)) for first, last, higher, lower in printed_pd()
]


def test_table_4_1_has_101_values_as_printed():
    assert len(DP_ROWS) == len(DP) == 101
    assert {p: DP[p] for p in DP_ROWS} == DP_ROWS


def test_table_4_2_has_fifty_rows_as_printed_and_an_open_one():
    assert sorted(PD_ROWS_PRINTED) == [row for row in PD_ROWS if row[1] is not None]
    assert len(PD_ROWS) == 51
    assert PD_ROWS[-1] == (736, None, 100, 0)


@pytest.mark.parametrize(("first", "last", "higher", "lower"), PD_ROWS_PRINTED)
def test_both_edges_of_every_row_of_4_2_give_its_probabilities(first, last, higher, lower):
    for difference in (first, last):
        assert expected_score(difference) == higher
        assert expected_score(-difference) == (lower if difference else higher)
        assert pd_row(difference) == pd_row(-difference) == (first, last, higher, lower)


@pytest.mark.parametrize("difference", [736, 737, 1000, 2900])
def test_above_735_the_higher_rated_player_is_expected_to_win(difference):
    assert expected_score(difference) == 100
    assert expected_score(-difference) == 0
    assert pd_row(difference) == (736, None, 100, 0)


def test_there_is_no_cap_at_400_points():
    assert expected_score(400) == 92
    assert expected_score(735) == 99


def test_every_difference_has_a_value():
    assert len(EXPECTED_HIGHER) == 737
    assert list(EXPECTED_HIGHER) == sorted(EXPECTED_HIGHER)
