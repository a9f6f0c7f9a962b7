"""The dates of reports in the many spellings of real files."""

from datetime import date

import pytest

from ratings.formats.trf.tournament import is_ambiguous, round_dates, start_and_end

FIRST, LAST = date(2011, 2, 25), date(2011, 2, 27)


@pytest.mark.parametrize(
    "text",
    [
        "2011/02/25",
        "2011-02-25",
        "2011.02.25",
        "2011.2.25",
        "20110225",
        "25.02.2011",
        "25/02/2011",
        "25-2-2011",
        "02/25/2011",
        "25 February 2011",
        "25th Feb. 2011",
        "25-FEB-2011",
        "February 25, 2011",
        "Feb 25th 2011",
        "11/02/25",
        "2011/02/25 10:00",
        "Friday 25.02.2011",
        "2011 02 25",
    ],
)
def test_a_day_in_any_spelling(text: str) -> None:
    assert start_and_end(text, "") == (FIRST, None)


@pytest.mark.parametrize(
    "text",
    ["", "spring", "2011", "2011/02", "2011/02/30", "2011/13/01", "111/02/25", "0000/00/00", "1" * 5000],
)
def test_what_is_no_day(text: str) -> None:
    assert start_and_end(text, "") == (None, None)


def test_both_days_are_read_in_the_order_that_fits_both() -> None:
    assert start_and_end("02/10/2010", "02/14/2010") == (date(2010, 2, 10), date(2010, 2, 14))
    assert start_and_end("24/09/2010", "02/10/2010") == (date(2010, 9, 24), date(2010, 10, 2))
    assert start_and_end("24.09.10", "02.10.10") == (date(2010, 9, 24), date(2010, 10, 2))


@pytest.mark.parametrize(("start", "end"), [("2010/10/02", "2010/03/11"), ("02.10.2010", "11.03.2010")])
def test_a_start_after_the_end_is_not_explained_away(start: str, end: str) -> None:
    """After a year in four digits comes the month, and between points the day comes first."""
    assert start_and_end(start, end) == (date(2010, 10, 2), date(2010, 3, 11))
    assert not is_ambiguous(start, end)


def test_two_spellings_in_one_file_are_read_each_by_itself() -> None:
    assert start_and_end("2011/02/25", "27.02.2011") == (FIRST, LAST)


def test_a_year_in_two_digits_is_of_this_century_or_from_1970_on() -> None:
    assert start_and_end("69/01/02", "70/01/02") == (date(2069, 1, 2), date(1970, 1, 2))


@pytest.mark.parametrize("text", ["02/10/2010", "02-10-2010", "10/02/03"])
def test_a_day_and_a_month_that_can_be_exchanged_are_ambiguous(text: str) -> None:
    assert is_ambiguous(text, "")


@pytest.mark.parametrize(
    "text", ["2010/10/02", "02.10.2010", "2 Oct 2010", "25/10/2010", "02/02/2010", "", "x"]
)
def test_other_days_are_not(text: str) -> None:
    assert not is_ambiguous(text, "")


@pytest.mark.parametrize(
    "texts",
    [
        ["11/02/25", "11/02/26", "11/02/27"],
        ["11.25.02", "11.26.02", "11.27.02"],
        ["25.02.11", "26.02.11", "27.02.11"],
        ["2011/02/25", "2011/02/26", "2011/02/27"],
    ],
)
def test_rounds_in_any_order_of_year_month_and_day(texts: list[str]) -> None:
    assert round_dates(texts, FIRST, LAST) == (FIRST, date(2011, 2, 26), LAST)


def test_days_that_can_be_exchanged_are_read_as_the_tournament_has_them() -> None:
    texts = ["11.01.02", "11.02.02"]
    assert round_dates(texts, date(2011, 2, 1), date(2011, 2, 2)) == (date(2011, 2, 1), date(2011, 2, 2))
    assert round_dates(texts, None, None) == (date(2011, 1, 2), date(2011, 2, 2))


def test_the_last_day_decides_if_the_first_does_not() -> None:
    first, last = date(2001, 2, 2), date(2001, 3, 2)
    assert round_dates(["02.02.01", "03.02.01"], first, last) == (first, last)


def test_a_round_without_a_date_has_none() -> None:
    assert round_dates(["11/02/25", "", "11/02/27"], FIRST, LAST) == (FIRST, None, LAST)
    assert round_dates(["11/02/25", "?"], FIRST, FIRST) == (FIRST, None)
    assert round_dates([], FIRST, LAST) == ()


def test_of_two_spellings_in_one_file_each_may_be_ambiguous() -> None:
    assert is_ambiguous("02/10/2010", "2010-10-03")
    assert is_ambiguous("2010-10-01", "02/10/2010")
    assert not is_ambiguous("2010-10-01", "25/10/2010")
