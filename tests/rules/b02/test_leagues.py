"""FIDE B.02 4.11, 4.13: the parts of a league that is rated period by period."""

from datetime import date

from ratings.rules.b02.editions import B02_2009, edition_in_force
from ratings.rules.b02.editions.b02_2009 import LeaguePart

SEPTEMBER, NOVEMBER, JANUARY, MARCH = (
    date(2025, 9, 1),
    date(2025, 11, 1),
    date(2026, 1, 1),
    date(2026, 3, 1),
)


def test_4_13_rounds_under_one_list_are_one_part():
    days = {1: date(2025, 9, 14), 2: date(2025, 10, 5), 3: date(2025, 11, 9), 4: date(2026, 1, 18)}
    assert B02_2009.parts_of(days) == [
        LeaguePart(SEPTEMBER, NOVEMBER, (1, 2), date(2025, 9, 14), date(2025, 10, 5)),
        LeaguePart(NOVEMBER, JANUARY, (3,), date(2025, 11, 9), date(2025, 11, 9)),
        LeaguePart(JANUARY, MARCH, (4,), date(2026, 1, 18), date(2026, 1, 18)),
    ]


def test_7_13_a_round_in_the_last_week_keeps_the_ratings_of_its_period_and_is_rated_with_the_next():
    """The list of 1 January closes on 25 December."""
    days = {1: date(2025, 12, 25), 2: date(2025, 12, 26), 3: date(2026, 1, 11)}
    assert [(part.in_force, part.rated_on, part.rounds) for part in B02_2009.parts_of(days)] == [
        (NOVEMBER, JANUARY, (1,)),
        (NOVEMBER, MARCH, (2,)),
        (JANUARY, MARCH, (3,)),
    ]
    official = [
        (part.in_force, part.rated_on, part.rounds) for part in B02_2009.parts_of(days, official=True)
    ]
    assert official == [(NOVEMBER, JANUARY, (1, 2)), (JANUARY, MARCH, (3,))]


def test_4_13_a_round_that_was_brought_forward_is_of_the_part_of_its_day():
    days = {1: date(2025, 11, 9), 2: date(2026, 1, 18), 3: date(2025, 12, 7)}
    assert [part.rounds for part in B02_2009.parts_of(days)] == [(1, 3), (2,)]


def test_7_3_with_monthly_lists_the_parts_are_months():
    days = {1: date(2025, 9, 14), 2: date(2025, 10, 5)}
    monthly = edition_in_force(days[1], 1, today_since=None)
    assert [part.rounds for part in monthly.parts_of(days)] == [
        (1,),
        (2,),
    ]
