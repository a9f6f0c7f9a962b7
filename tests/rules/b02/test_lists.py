"""FIDE B.02 7 and 8.56: periods, K, and the lists on which a player stands."""

from datetime import date

import pytest

from ratings.rules.b02.editions import B02_2009, edition_in_force
from ratings.rules.b02.k_factor import Standing
from ratings.rules.b02.lists import Lists, is_inactive, months_after

MONTHLY = edition_in_force(date(2010, 1, 1), 1)


@pytest.mark.parametrize(
    ("day", "two_months", "monthly"),
    [
        (date(2010, 1, 1), date(2010, 1, 1), date(2010, 1, 1)),
        (date(2012, 2, 29), date(2012, 1, 1), date(2012, 2, 1)),
        (date(2010, 3, 1), date(2010, 3, 1), date(2010, 3, 1)),
        (date(2010, 6, 30), date(2010, 5, 1), date(2010, 6, 1)),
        (date(2010, 8, 31), date(2010, 7, 1), date(2010, 8, 1)),
        (date(2010, 10, 31), date(2010, 9, 1), date(2010, 10, 1)),
        (date(2010, 12, 31), date(2010, 11, 1), date(2010, 12, 1)),
    ],
)
def test_7_11_six_lists_a_year_and_7_3_monthly_ones(day, two_months, monthly):
    assert B02_2009.list_in_force(day) == two_months
    assert MONTHLY.list_in_force(day) == monthly


def test_7_11_the_list_after_november_is_that_of_january():
    assert B02_2009.next_list(date(2010, 11, 1)) == B02_2009.next_list(date(2010, 12, 24)) == date(2011, 1, 1)
    assert MONTHLY.next_list(date(2010, 12, 1)) == date(2011, 1, 1)


def test_7_13_closing_day_is_seven_days_before_the_list_and_for_official_tournaments_the_day_before():
    assert B02_2009.closing_day(date(2010, 3, 1)) == date(2010, 2, 22)
    assert B02_2009.closing_day(date(2010, 3, 1), official=True) == date(2010, 2, 28)


@pytest.mark.parametrize(
    ("last_day", "official", "list_day"),
    [
        (date(2010, 2, 22), False, date(2010, 3, 1)),
        (date(2010, 2, 23), False, date(2010, 5, 1)),
        (date(2010, 2, 28), True, date(2010, 3, 1)),
        (date(2010, 3, 1), True, date(2010, 5, 1)),
        (date(2009, 12, 28), False, date(2010, 3, 1)),
    ],
)
def test_7_13_the_list_on_which_a_tournament_is_rated(last_day, official, list_day):
    assert B02_2009.rated_on(last_day, official) == list_day


def test_7_13_monthly():
    assert MONTHLY.rated_on(date(2010, 2, 23)) == date(2010, 4, 1)
    assert MONTHLY.rated_on(date(2010, 2, 22)) == date(2010, 3, 1)


def test_months_after_takes_the_last_day_of_a_shorter_month():
    assert months_after(date(2010, 3, 31), -1) == date(2010, 2, 28)
    assert months_after(date(2012, 2, 29), -12) == date(2011, 2, 28)
    assert months_after(date(2010, 12, 31), 2) == date(2011, 2, 28)
    assert months_after(date(2010, 1, 1), -1) == date(2009, 12, 1)


@pytest.mark.parametrize(
    ("changes", "rating"),
    # 0.4 twice is 0.8: rounded after the sum, not before.
    [
        ([], 2000),
        ([40, 40], 2001),
        ([50], 2001),
        ([49], 2000),
        ([-50], 2000),
        ([-51], 1999),
        ([-49, 99], 2001),
    ],
)
def test_8_57_all_changes_of_a_period_are_added_and_rounded_once_half_up(changes, rating):
    assert B02_2009.new_rating(2000, changes) == rating


@pytest.mark.parametrize(
    ("rating", "games", "reached_2400", "k"),
    [
        (2000, 29, False, 25),
        (2000, 30, False, 15),
        (2399, 30, False, 15),
        (2400, 30, True, 10),
        (2300, 300, True, 10),
        (2450, 29, True, 25),
        (None, 0, False, None),
    ],
)
def test_8_56_k(rating, games, reached_2400, k):
    assert Standing(rating, games, reached_2400).k == k


def test_8_56_k_10_stays_for_ever_once_2400_was_published():
    standing = Standing(2390, 100).listed(2400, 9)
    assert standing == Standing(2400, 109, True, True)
    assert standing.listed(2250, 9).k == 10
    assert Standing(2390, 100).listed(2399, 9).k == 15


def test_8_56_games_of_the_first_rating_are_among_the_thirty():
    new = Standing().listed(2000, 12)
    assert (new.games, new.k) == (12, 25)
    assert new.listed(2010, 17).k == 25
    assert new.listed(2010, 18).k == 15


def test_7_21_under_1200_a_player_is_delisted_and_new_again():
    assert Standing(1210, 40).listed(1200, 5) == Standing(1200, 45)
    assert Standing(1210, 40).listed(1199, 5) == Standing()
    assert Standing(2400, 40, True).listed(1199, 5) == Standing(reached_2400=True)


LIST = date(2010, 3, 1)
EVERYWHERE = Lists.ALPHABETICAL | Lists.ACTIVE


@pytest.mark.parametrize(
    ("last_game", "inactive", "lists"),
    [
        (date(2010, 2, 1), False, EVERYWHERE),
        (date(2009, 3, 1), False, EVERYWHERE),
        (date(2009, 2, 28), True, Lists.ALPHABETICAL),
        (date(2007, 3, 1), True, Lists.ALPHABETICAL),
        (date(2007, 2, 28), True, Lists.NOWHERE),
    ],
)
def test_7_23_inactive_after_a_year_with_the_flag_for_two_more_and_then_not_listed(
    last_game, inactive, lists
):
    assert is_inactive(last_game, LIST) is inactive
    assert B02_2009.lists_of(2000, last_game, LIST) == lists


def test_7_24_the_top_list_leaves_inactive_players_out():
    assert Lists.ACTIVE not in B02_2009.lists_of(2800, date(2009, 2, 28), LIST)


def test_7_21_delisted_and_7_22_titled_players_without_a_rating():
    day = date(2010, 2, 1)
    assert B02_2009.lists_of(None, day, LIST) == Lists.NOWHERE
    assert B02_2009.lists_of(None, day, LIST, was_rated=True) == Lists.DELISTED
    assert B02_2009.lists_of(None, day, LIST, titled=True) == Lists.TITLED
    assert B02_2009.lists_of(None, day, LIST, was_rated=True, titled=True) == Lists.DELISTED | Lists.TITLED
    assert B02_2009.lists_of(1200, day, LIST, was_rated=True, titled=True) == EVERYWHERE
