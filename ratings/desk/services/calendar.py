"""The public dates of the office as an iCalendar file (RFC 5545)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta

from django.utils.translation import gettext
from icalendar import Calendar, Event

from ratings.office.due import Dated


def as_icalendar(dates: Iterable[Dated], *, host: str, at: datetime, address: Callable[[str], str]) -> bytes:
    """Return all-day events with stable UIDs. ``address`` makes a link absolute."""
    calendar = Calendar()
    calendar.add("prodid", "-//FOA rating office//Calendar//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", gettext("Rating office"))
    for one in dates:
        event = Event()
        event.add("uid", f"{one.key}-{one.day:%Y%m%d}@{host}")
        event.add("dtstamp", at)
        event.add("dtstart", one.day)
        event.add("dtend", one.day + timedelta(days=1))
        event.add("summary", one.text)
        event.add("url", address(one.link))
        calendar.add_component(event)
    content: bytes = calendar.to_ical()
    return content


def span_of(today: date) -> tuple[date, date]:
    """Return the first and last day of the calendar: from the beginning of last month to a year ahead."""
    before = today.replace(day=1) - timedelta(days=1)
    return before.replace(day=1), today + timedelta(days=366)
