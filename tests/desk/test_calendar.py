"""The public dates of the office, as a page and as an iCalendar file (RFC 5545)."""

from datetime import UTC, date, datetime
from unittest.mock import patch

import pytest
from icalendar import Calendar

from ratings.office.due import dates_between
from tests.pages import words

pytestmark = pytest.mark.django_db


def test_b02_7_13_lists_come_every_two_months_and_close_seven_days_before():
    found = [
        (f"{one.day}", one.text)
        for one in dates_between(date(2026, 6, 1), date(2026, 7, 1))
        if one.key.startswith("otb")
    ]
    assert found == [
        (
            "2026-06-24",
            "Last day of play for the over-the-board list of 1 Jul 2026 (B.02 7.13)",
        ),
        ("2026-07-01", "Over-the-board list of 1 Jul 2026 (B.02 7.11)"),
    ]


def test_rbb_1_4_the_lists_of_a_month_show_the_state_on_its_first_day():
    found = dates_between(date(2026, 6, 2), date(2026, 8, 1))
    lists = [(f"{one.day}", one.text) for one in found if one.key == "lists"]
    assert lists == [
        ("2026-07-01", "July 2026 rating lists"),
        ("2026-08-01", "August 2026 rating lists"),
    ]
    assert [one.day for one in found] == sorted(one.day for one in found)


def test_the_page_has_the_next_dates_and_a_year_with_a_row_for_the_lists_of_each_month(client):
    """A list's last day of play stands beside it, though it is a day of the month before."""
    with patch("django.utils.timezone.now", return_value=datetime(2026, 6, 20, tzinfo=UTC)):
        page = words(client.get("/calendar/"))
    assert (
        "Upcoming dates 24 Jun 2026 : Last day of play for the over-the-board list of 1 Jul 2026 (B.02 "
        "7.13) 1 Jul 2026 : July 2026 FIDE rating list 1 Jul 2026 : July 2026 rating lists 1 Jul 2026 : "
        "Over-the-board list of 1 Jul 2026 (B.02 7.11) The coming year Month Last day of play FIDE list "
        "Rating lists Over-the-board list July 2026 24 Jun 1 Jul 1 Jul 1 Jul August 2026 – 1 Aug 1 Aug – "
        "September 2026"
    ) in page


def test_everybody_sees_the_calendar_and_may_subscribe(client):
    page = client.get("/calendar/")
    assert page.status_code == 200
    assert '<a href="/calendar.ics">' in page.text
    answer = client.get("/calendar.ics")
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    calendar = Calendar.from_ical(answer.content)
    events = calendar.walk("VEVENT")
    assert len({str(event["UID"]) for event in events}) == len(events) > 30
    assert all(str(event["URL"]).startswith("http://testserver/") for event in events)
    again = Calendar.from_ical(client.get("/calendar.ics").content)
    assert [event["UID"] for event in again.walk("VEVENT")] == [event["UID"] for event in events]
