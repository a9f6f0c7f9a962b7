"""FIDE’s regulations of 1 March 2024, 7.1, 7.2, 8.3.3, 8.3.4 and 9.1: lists, K, and a player’s standing."""

from datetime import date

import pytest

from ratings.rules.b02.editions import B02_2009, edition_in_force
from ratings.rules.b02.editions.b02_2009 import PeriodResults
from ratings.rules.b02.floors import raised
from ratings.rules.b02.k_factor import Standing
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import Chapter

BOOK = edition_in_force(date(2026, 12, 1))
RAPID = edition_in_force(date(2026, 12, 1), chapter=Chapter.RAPID)
LIST = date(2026, 12, 1)


def test_7_1_one_list_a_month_on_its_first_day():
    assert BOOK.list_in_force(date(2026, 12, 31)) == date(2026, 12, 1)
    assert BOOK.next_list(date(2026, 12, 1)) == date(2027, 1, 1)


@pytest.mark.parametrize(
    ("last_day", "official", "list_day"),
    [
        (date(2026, 11, 28), False, date(2026, 12, 1)),
        (date(2026, 11, 29), False, date(2027, 1, 1)),
        (date(2026, 11, 30), True, date(2026, 12, 1)),
        (date(2026, 12, 1), True, date(2027, 1, 1)),
    ],
)
def test_7_1_3_a_tournament_ends_three_days_before_the_list_and_an_official_one_the_day_before(
    last_day, official, list_day
):
    assert BOOK.rated_on(last_day, official) == list_day
    assert (last_day <= BOOK.closing_day(date(2026, 12, 1), official)) is (list_day == date(2026, 12, 1))


@pytest.mark.parametrize(
    ("last_day", "last_list"),
    [
        (date(2026, 11, 1), date(2027, 2, 1)),
        (date(2026, 11, 30), date(2027, 2, 1)),
        (date(2026, 12, 31), date(2027, 3, 1)),
    ],
)
def test_9_1_the_third_list_after_the_end_is_the_last_for_a_report(last_day, last_list):
    assert BOOK.last_list_to_report(last_day) == last_list
    assert B02_2009.last_list_to_report(last_day) is None


def test_7_1_1_a_tournament_of_more_than_thirty_days_uses_the_lists_of_its_days():
    assert not BOOK.is_split(date(2026, 11, 1), date(2026, 11, 30))
    assert BOOK.is_split(date(2026, 11, 1), date(2026, 12, 1))
    assert not B02_2009.is_split(date(2026, 1, 1), date(2026, 12, 1))


def test_7_1_1_the_rounds_of_a_long_tournament_are_rated_by_the_list_in_force_on_their_day():
    days = {1: date(2026, 10, 30), 2: date(2026, 11, 2), 3: date(2026, 11, 28), 4: date(2026, 12, 1)}
    assert [(part.in_force, part.rated_on, part.rounds) for part in BOOK.parts_of(days)] == [
        (date(2026, 10, 1), date(2026, 12, 1), (1,)),
        (date(2026, 11, 1), date(2026, 12, 1), (2, 3)),
        (date(2026, 12, 1), date(2027, 1, 1), (4,)),
    ]


@pytest.mark.parametrize(
    ("rating", "last_game", "lists"),
    [
        (1400, date(2025, 12, 1), Lists.ALPHABETICAL | Lists.ACTIVE),
        (1400, date(2025, 11, 30), Lists.ALPHABETICAL),
        (2700, date(1999, 1, 1), Lists.ALPHABETICAL),
        (None, date(2026, 11, 1), Lists.NOWHERE),
    ],
)
def test_7_1_2_who_has_a_rating_is_published_and_7_2_2_inactive_after_a_year(rating, last_game, lists):
    assert BOOK.lists_of(rating, last_game, LIST, was_rated=True, titled=True) == lists


def test_1400_is_the_lowest_published_rating_and_1200_was():
    assert (BOOK.floor, B02_2009.floor) == (1400, 1200)


def test_7_2_1_below_1400_a_player_is_unrated_on_the_next_list_and_the_games_stay():
    assert BOOK.new_rating(1404, [-520]) == 1399
    assert BOOK.listed(Standing(1404, 20), 1399, 5) == Standing(None, 25)
    assert BOOK.listed(Standing(1404, 20), 1400, 5) == Standing(1400, 25)
    once_strong = Standing(1404, 90, reached_2400=True, reached_2300=True)
    assert BOOK.listed(once_strong, 1399, 5) == once_strong._replace(rating=None, games=95)


def test_7_2_1_rated_again_the_games_go_on_from_those_before():
    again = BOOK.listed(Standing(None, 25), 1500, 5)
    assert again == Standing(1500, 30)
    assert BOOK.k(again, 1990, LIST) == 20


@pytest.mark.parametrize(
    ("standing", "birth_year", "list_day", "k"),
    [
        (Standing(2290, 45), 2008, date(2026, 12, 1), 40),
        (Standing(2290, 45), 2008, date(2027, 1, 1), 20),
        (Standing(2250, 80, reached_2300=True), 2010, LIST, 20),
        # Fewer than 30 games are asked after the age, and 2400 before everything.
        (Standing(2310, 29, reached_2300=True), 2010, LIST, 40),
        (Standing(2410, 29, reached_2400=True, reached_2300=True), 2010, LIST, 10),
        (Standing(1500, 300, reached_2400=True, reached_2300=True), 1970, LIST, 10),
        (Standing(1500, 29), 1970, LIST, 40),
        (Standing(1500, 30), 1970, LIST, 20),
        (Standing(2399, 30, reached_2300=True), 1970, LIST, 20),
        (Standing(1500, 30), None, LIST, 20),
        (Standing(None, 12), 2015, LIST, None),
    ],
)
def test_8_3_3_k_in_the_order_of_the_reading(standing, birth_year, list_day, k):
    assert BOOK.k(standing, birth_year, list_day) == RAPID.k(standing, birth_year, list_day) == k


def test_8_3_3_k_of_2009_asks_neither_age_nor_2300():
    assert B02_2009.k(Standing(2290, 45), 2015, LIST) == 15
    assert B02_2009.k(Standing(2290, 29, reached_2300=True), None, LIST) == 25


@pytest.mark.parametrize(
    ("rating", "reached_2300", "reached_2400"),
    [(2299, False, False), (2300, True, False), (2399, True, False), (2400, True, True)],
)
@pytest.mark.parametrize("book", [BOOK, B02_2009])
def test_8_3_3_every_edition_remembers_that_2300_and_2400_were_published(
    book, rating, reached_2300, reached_2400
):
    assert book.listed(Standing(2000, 50), rating, 5) == Standing(rating, 55, reached_2400, reached_2300)
    later = book.listed(book.listed(Standing(2000, 50), rating, 5), 2100, 5)
    assert (later.reached_2300, later.reached_2400) == (reached_2300, reached_2400)


@pytest.mark.parametrize(
    ("k", "games", "of_period"),
    [(20, 36, 19), (20, 35, 20), (40, 17, 40), (40, 18, 38), (10, 70, 10), (10, 71, 9), (40, 0, 40)],
)
def test_8_3_3_k_times_games_is_at_most_700(k, games, of_period):
    assert BOOK.k_of_period(k, games) == of_period
    assert B02_2009.k_of_period(k, games) == k


def test_8_3_3_the_k_of_the_period_is_for_all_its_games():
    # 36 games with K 20: 19 × 1.50, whatever the tournaments alone have shown.
    results = PeriodResults(20, 36, 30_00, 1_50)
    assert BOOK.period_change(results) == 28_50
    assert B02_2009.period_change(results) == 30_00


@pytest.mark.parametrize(
    ("change", "points"), [(-250, -3), (250, 3), (249, 2), (-249, -2), (-251, -3), (50, 1), (-50, -1), (0, 0)]
)
def test_8_3_4_the_change_of_a_period_is_rounded_half_away_from_zero(change, points):
    assert BOOK.new_rating(2000, [change]) == 2000 + points


def test_8_3_4_rounds_once():
    assert BOOK.new_rating(2000, [40, 40]) == 2001
    # 2009 rounds the rating, half up.
    assert B02_2009.new_rating(2000, [-250]) == 1998


def test_7_2_1_of_rapid_and_blitz_a_standard_rating_is_used_where_there_is_none_in_rapid():
    standard = Standing(2450, 300, reached_2400=True, reached_2300=True)
    seeded = RAPID.seeded(Standing(), standard)
    assert seeded == Standing(2450)
    # Reading: K as for a player new to the list.
    assert RAPID.k(seeded, 1990, LIST) == 40
    assert RAPID.seeded(Standing(None, 30), standard) == Standing(2450, 30)


def test_7_2_1_of_rapid_and_blitz_a_rating_of_their_own_stays():
    assert RAPID.seeded(Standing(1800, 9), Standing(2450, 300)) == Standing(1800, 9)
    assert RAPID.seeded(Standing(), Standing()) == Standing()
    assert BOOK.seeded(Standing(), Standing(2450, 300)) == Standing()
    assert B02_2009.seeded(Standing(), Standing(2450, 300)) == Standing()


@pytest.mark.parametrize(
    # 1999.4, 1998.8, 1997.6
    ("rating", "after"),
    [(1000, 1400), (1400, 1640), (1999, 1999), (1998, 1999), (1996, 1998), (2000, 2000), (2400, 2400)],
)
def test_the_one_off_change_of_march_2024_is_0_40_of_what_lacks_to_2000(rating, after):
    assert raised(rating) == after
