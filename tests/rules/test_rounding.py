"""RBB 3.1, 3.12, 3.13: exact decimals and the one rounding."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.rules.rounding import displayed, divide_half_up, from_hundredths, to_hundredths


@pytest.mark.parametrize(
    ("hundredths", "shown"),
    [
        (221550, 2216),  # RBB 3.13: Rn = 2215.5 becomes 2216
        (221450, 2215),  # half to even would give 2214
        (179960, 1800),  # RBB 3.14
        (180020, 1800),  # RBB 3.14
        (9960, 100),  # shown as 100, yet under the floor (RBB 3.2)
        (180049, 1800),
        (0, 0),
    ],
)
def test_a_half_is_rounded_upwards(hundredths, shown):
    assert displayed(hundredths) == shown


@given(st.integers(-(10**7), 10**7))
def test_displayed_is_the_nearest_integer(hundredths):
    assert -50 < displayed(hundredths) * 100 - hundredths <= 50


@given(st.integers(-(10**6), 10**6), st.integers(1, 1000))
def test_divide_half_up_is_the_nearest_integer(dividend, divisor):
    assert -divisor < 2 * (divide_half_up(dividend, divisor) * divisor - dividend) <= divisor


@given(st.integers(-(10**9), 10**9))
def test_hundredths_and_points_are_the_same_number(hundredths):
    points = from_hundredths(hundredths)
    assert points.as_tuple().exponent == -2
    assert to_hundredths(points) == hundredths


@pytest.mark.parametrize("text", ["1800.005", "NaN", "Infinity"])
def test_more_than_two_decimals_are_no_rating(text):
    with pytest.raises(ValueError, match=r"RBB 3\.1"):
        to_hundredths(Decimal(text))
