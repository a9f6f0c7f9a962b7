"""B.02 0.1: the edition in force is looked up by date."""

from datetime import date

import pytest

from ratings.rules.b02 import editions
from ratings.rules.b02.editions import B02_2009, TODAY_SINCE, edition_in_force
from ratings.rules.b02.editions.b02_2009 import Edition, Past
from ratings.rules.b02.first_ratings import CountedEvent
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Choices, Outcome, Topic
from ratings.rules.units import HalfPoints, Hundredths, Points

STANDARD = "FIDE Rating Regulations of 1 March 2024"
RAPID_AND_BLITZ = "FIDE Rapid and Blitz Rating Regulations of 1 March 2024"


def test_0_1_that_of_2009_is_the_first_and_is_taken_for_earlier_days_as_well():
    assert (B02_2009.name, B02_2009.since) == ("FIDE B.02 of 1 July 2009", date(2009, 7, 1))
    assert edition_in_force(date(2009, 6, 30)) is edition_in_force(date(2024, 2, 29)) is B02_2009


def test_an_office_that_stays_with_2009_has_it_on_every_day():
    assert edition_in_force(date(2026, 11, 22), today_since=None) is B02_2009


@pytest.mark.parametrize(
    ("chapter", "day", "name"),
    [
        (Chapter.STANDARD, date(2024, 3, 1), STANDARD),
        (Chapter.STANDARD, date(2025, 9, 30), STANDARD),
        (Chapter.STANDARD, date(2025, 10, 1), f"{STANDARD}, as amended on 1 October 2025"),
        (Chapter.RAPID, date(2024, 3, 1), RAPID_AND_BLITZ),
        (Chapter.RAPID, date(2024, 11, 30), RAPID_AND_BLITZ),
        (Chapter.RAPID, date(2024, 12, 1), f"{RAPID_AND_BLITZ}, as amended on 1 December 2024"),
        (Chapter.BLITZ, date(2026, 1, 1), f"{RAPID_AND_BLITZ}, as amended on 1 December 2024"),
    ],
)
def test_each_chapter_has_the_edition_of_2024_and_its_amendments_from_their_days_on(chapter, day, name):
    book = edition_in_force(day, chapter=chapter)
    assert (book.name, book.chapter) == (name, chapter)


def test_the_office_decides_from_which_day_it_follows_the_edition_of_2024():
    later = date(2026, 1, 1)
    assert edition_in_force(date(2025, 12, 31), today_since=later) is B02_2009
    # With the amendments that have come into force since.
    assert edition_in_force(later, today_since=later) is edition_in_force(later)
    earlier = date(2020, 1, 1)
    assert edition_in_force(date(2024, 2, 29), today_since=earlier) is B02_2009


@pytest.mark.parametrize(("day", "today_since"), [(date(2024, 2, 29), TODAY_SINCE), (date(2026, 1, 1), None)])
def test_2009_has_standard_ratings_alone(day, today_since):
    with pytest.raises(ValueError, match=f"The office has standard ratings only on {day}, not rapid"):
        edition_in_force(day, chapter=Chapter.RAPID, today_since=today_since)


def test_chapters_have_names_for_commands_and_files():
    assert [chapter.slug for chapter in Chapter] == ["standard", "rapid", "blitz"]


def test_7_3_the_office_decides_how_many_months_lie_between_two_lists():
    assert edition_in_force(date(2023, 11, 22)).list_in_force(date(2023, 12, 24)) == date(2023, 11, 1)
    assert edition_in_force(date(2023, 11, 22), 1).list_in_force(date(2023, 12, 24)) == date(2023, 12, 1)


def test_7_1_of_2024_there_is_one_list_a_month_whatever_the_office_had_decided():
    assert edition_in_force(date(2026, 11, 22), 2).list_in_force(date(2026, 12, 24)) == date(2026, 12, 1)


@pytest.fixture
def of_2012(monkeypatch):
    """An edition that lets eight days pass between closing and publishing, and gives 12.5 a half point."""

    class Of2012(Edition):
        def closing_day(self, list_day, official=False):
            return date(list_day.year, list_day.month, 1) - (
                list_day - date(list_day.year, list_day.month - 1, 20)
            )

    book = Of2012(
        "FIDE B.02 of 1 July 2012", date(2012, 7, 1), Choices(bonus_per_half_point=Hundredths(12_50))
    )
    monkeypatch.setattr(editions, "EDITIONS", [B02_2009, book])
    return book


@pytest.mark.parametrize(("day", "bonus"), [(date(2012, 6, 30), 15_00), (date(2012, 7, 1), 12_50)])
def test_0_1_a_further_edition_applies_from_its_day_on(of_2012, day, bonus):
    assert edition_in_force(day).choices.bonus_per_half_point == bonus


def test_0_1_a_further_edition_may_have_rules_of_its_own(of_2012):
    may = date(2013, 5, 1)
    assert B02_2009.closing_day(may) == date(2013, 4, 24)
    assert edition_in_force(may).closing_day(may) == date(2013, 4, 20)
    assert edition_in_force(may, 1).closing_day(may) == date(2013, 4, 20)


TODAY = [edition_in_force(date(2026, 1, 1), chapter=chapter) for chapter in Chapter]


def test_what_an_edition_has_no_article_about_it_doesnt_have():
    of_2009_alone = {
        "STAGES",
        "BY_PERIOD",
        "APPEAL",
        "ANNOUNCED_UNRATED",
        "TOP",
        "DELISTED",
        "TITLED",
        "DRIFT",
    }
    of_2009_alone |= {"MANY_GAMES", "FEWER_GAMES"}
    of_2024_alone = {"STANDARD_RATING", "OPPONENTS", "FIRST_RATING", "FIRST_EVENT"}
    assert {topic.name for topic in Topic if not B02_2009.has(topic)} == of_2024_alone
    for edition in TODAY:
        assert {topic.name for topic in Topic if not edition.has(topic)} == of_2009_alone


def test_events_of_the_same_days_come_as_the_office_learnt_of_them_in_2009_and_by_name_in_2024():
    day = date(2026, 9, 6)
    told = [(day, day, "Winter Open", 1), (day, day, "Autumn Open", 2), (date(2026, 9, 5), day, "Other", 3)]
    assert [event[3] for event in sorted(told, key=lambda event: B02_2009.event_order(*event))] == [3, 1, 2]
    assert [event[3] for event in sorted(told, key=lambda event: TODAY[0].event_order(*event))] == [3, 2, 1]


def test_an_amendment_rates_lists_of_its_regulations_again_and_no_others():
    before, amended = edition_in_force(date(2025, 9, 30)), edition_in_force(date(2025, 10, 1))
    assert amended.rates_again(before)
    assert before.rates_again(amended)
    assert not amended.rates_again(B02_2009)
    assert not B02_2009.rates_again(before)


def test_6_1_8_2_1_an_earlier_result_counts_in_2009_if_it_can_stand_alone_and_in_2024_whatever_it_was():
    def past(why_not_first=None, delisted_on=None, has_played=True):
        event = CountedEvent(date(2026, 5, 3), 5, HalfPoints(2), Points(8000), why_not_first)
        return Past([(date(2026, 7, 1), event)], delisted_on, has_played)

    few, then = past(Outcome.FEW_POINTS), past(delisted_on=date(2026, 7, 1))
    assert [B02_2009.has_earlier_result(one) for one in (past(), few, then)] == [True, False, False]
    assert B02_2009.has_earlier_result(past(delisted_on=date(2026, 6, 30)))
    never = past(has_played=False)
    assert [TODAY[0].has_earlier_result(one) for one in (past(), few, never)] == [True, True, False]
    assert TODAY[0].has_earlier_result(past(delisted_on=date(2026, 7, 1), has_played=False))
