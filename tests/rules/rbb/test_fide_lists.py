"""RBB 3.4 and 3.15: what the FIDE lists mean for a member."""

import pytest

from ratings.rules.rbb.fide_lists import FIRST_RATING_LISTS, first_rating_from_lists, over_the_board_change
from ratings.rules.time_controls import Category

RAPID, BLITZ, BULLET = Category


@pytest.mark.parametrize(("category", "standard", "rapid", "blitz", "found"), [
    (RAPID, 2000, 1900, 1800, ("rapid", 1900_00)),
    (RAPID, 2000, None, 1800, ("standard", 2000_00)),
    (RAPID, None, None, 1800, None),
    (BLITZ, 2000, 1900, 1800, ("blitz", 1800_00)),
    (BLITZ, 2000, 1900, None, ("rapid", 1900_00)),
    (BLITZ, 2000, None, None, ("standard", 2000_00)),
    (BLITZ, None, None, None, None),
    (BULLET, 2000, 1900, 1800, ("blitz", 1800_00)),
    (BULLET, 2000, 1900, None, ("rapid", 1900_00)),
    (BULLET, 2000, None, None, ("standard", 2000_00)),
])  # fmt: skip
def test_3_4_the_preferred_list_of_the_same_or_a_longer_control_gives_the_first_rating(
    category, standard, rapid, blitz, found
):
    published = {"standard": standard, "rapid": rapid, "blitz": blitz}
    assert first_rating_from_lists(category, published) == found


def test_3_4_the_order_of_preference_is_the_printed_one():
    assert FIRST_RATING_LISTS == {
        RAPID: ("rapid", "standard"),
        BLITZ: ("blitz", "rapid", "standard"),
        BULLET: ("blitz", "rapid", "standard"),
    }


@pytest.mark.parametrize(("previous", "new", "games", "change"), [
    (1800, 1812, 9, 12_00),
    (1812, 1800, 1, -12_00),
    (1800, 1800, 9, 0),
    (1800, 1900, 0, None),
    (None, 1800, 9, None),
    (1800, None, 9, None),
])  # fmt: skip
def test_3_15_a_change_needs_two_ratings_and_games(previous, new, games, change):
    assert over_the_board_change(previous, new, games) == change
