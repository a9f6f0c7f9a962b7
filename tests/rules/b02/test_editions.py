"""B.02 0.1: the edition in force is looked up by date."""

from datetime import date

import pytest

from ratings.rules.b02 import editions
from ratings.rules.b02.editions import B02_2009, EDITIONS, Book, book_on
from ratings.rules.b02.types import Edition
from ratings.rules.units import Hundredths


def test_0_1_that_of_2009_is_the_only_one_and_is_taken_for_earlier_days_as_well():
    assert EDITIONS == [B02_2009]
    assert (B02_2009.name, B02_2009.since) == ("FIDE B.02 of 1 July 2009", date(2009, 7, 1))
    assert book_on(date(2009, 6, 30)) is book_on(date(2026, 11, 22)) is B02_2009


def test_7_3_the_office_decides_how_many_months_lie_between_two_lists():
    assert book_on(date(2026, 11, 22)).list_in_force(date(2026, 12, 24)) == date(2026, 11, 1)
    assert book_on(date(2026, 11, 22), 1).list_in_force(date(2026, 12, 24)) == date(2026, 12, 1)


@pytest.fixture
def of_2012(monkeypatch):
    """An edition that lets eight days pass between closing and publishing, and gives 12.5 a half point."""

    class Of2012(Book):
        def closing_day(self, list_day, official=False):
            return date(list_day.year, list_day.month, 1) - (
                list_day - date(list_day.year, list_day.month - 1, 20)
            )

    book = Of2012(
        "FIDE B.02 of 1 July 2012", date(2012, 7, 1), Edition(bonus_per_half_point=Hundredths(12_50))
    )
    monkeypatch.setattr(editions, "EDITIONS", [B02_2009, book])
    return book


@pytest.mark.parametrize(("day", "bonus"), [(date(2012, 6, 30), 15_00), (date(2012, 7, 1), 12_50)])
def test_0_1_a_further_edition_applies_from_its_day_on(of_2012, day, bonus):
    assert book_on(day).edition.bonus_per_half_point == bonus


def test_0_1_a_further_edition_may_have_rules_of_its_own(of_2012):
    may = date(2013, 5, 1)
    assert B02_2009.closing_day(may) == date(2013, 4, 24)
    assert book_on(may).closing_day(may) == date(2013, 4, 20)
    assert book_on(may, 1).closing_day(may) == date(2013, 4, 20)
