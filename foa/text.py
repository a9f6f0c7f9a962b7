"""Numbers and dates as pages write and read them: a point in every language, moments in UTC."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache

from django.utils.formats import date_format
from django.utils.translation import get_language, gettext_lazy, pgettext

NOTHING = "–"
"""Shown where there is no value."""

# The names of months by themselves, as in “November 2026”: Django's Polish catalogue has them in capitals.
_MONTHS = (
    gettext_lazy("January"),
    gettext_lazy("February"),
    gettext_lazy("March"),
    gettext_lazy("April"),
    gettext_lazy("May"),
    gettext_lazy("June"),
    gettext_lazy("July"),
    gettext_lazy("August"),
    gettext_lazy("September"),
    gettext_lazy("October"),
    gettext_lazy("November"),
    gettext_lazy("December"),
)

# As ``utc_text`` and ``isoformat`` write them.
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)(?!\w)")


def number_in(text: str, digits: int = 18) -> int | None:
    """Return the whole number that a text is, or None for anything but at most so many ASCII digits.

    18 digits fit into every key; numbers of thousands of digits can't even be converted.
    """
    return int(text) if len(text) <= digits and text.isascii() and text.isdecimal() else None


def points(value: Decimal | float | None, decimals: int = 2) -> str:
    """Format a number with so many decimals: 1799.60, −14.40, 0.64."""
    return NOTHING if value is None else f"{value:z.{decimals}f}".replace("-", "−")


def spoken_points(value: Decimal | float) -> str:
    """Format points within a sentence: 1.60, in Polish 1,60. Ratings have a point in every language."""
    return points(value).replace(".", pgettext("decimal separator in a sentence", "."))


def counted(number: int, one: str, many: str = "") -> str:
    """Write a number with its noun in the English of commands: 1 row, 2 rows."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def signed(value: Decimal | float | None, decimals: int = 2) -> str:
    """Format a change with its sign: +0.60, −14.40, 0.00. A “±” beside a rating would be its deviation."""
    text = points(value, decimals)
    return f"+{text}" if value is not None and value > 0 and text.strip("0.") else text


def whole(change: int) -> str:
    """Format a change in whole points with its sign: +6, −14, 0."""
    return f"{change:+d}".replace("-", "−") if change else "0"


def duration(value: timedelta) -> str:
    """Format hours, minutes and seconds: 0:07:05, also for more than a day."""
    minutes, seconds = divmod(round(value.total_seconds()), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def time_span(value: timedelta) -> str:
    """Format a duration in its two largest units: 7 min 12 s, 3 h 5 min, 12 d 4 h."""
    seconds = round(value.total_seconds())
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86_400
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {seconds % 60} s"


def month_text(value: date) -> str:
    """Format a month: November 2026."""
    return date_format(value, "YEAR_MONTH_FORMAT")


def date_text(value: date) -> str:
    """Format a date, or the UTC day of a moment: 31 Oct 2026."""
    return _written(_in_utc(value), "DATE_FORMAT", get_language())


def days_text(first: date, last: date) -> str:
    """Format a span of days: 2–10 Sep 2026, or both dates in full if the months differ."""
    first, last = _in_utc(first), _in_utc(last)
    if (first.year, first.month, first.day) == (last.year, last.month, last.day):
        return date_text(last)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{date_text(last)}"
    return f"{date_text(first)} – {date_text(last)}"


def minute(value: datetime) -> str:
    """Format a moment to the minute, where a heading says UTC: 31 Oct 2026, 16:31."""
    return _written(_in_utc(value), "SHORT_DATETIME_FORMAT", get_language())


def utc(value: datetime | None) -> str:
    """Format a moment to the minute: 31 Oct 2026, 16:31 UTC."""
    return NOTHING if value is None else _written(_in_utc(value), "DATETIME_FORMAT", get_language())


def second(value: datetime) -> str:
    """Format a moment to the second, where seconds matter: 31 Oct 2026, 16:31:05 UTC."""
    return f"{date_text(value)}, {value.astimezone(UTC):%H:%M:%S} UTC"


def dated(stored: str) -> str:
    """Rewrite the ISO moments in stored text, or a text that is an ISO date, as pages write them."""
    if _DATE.fullmatch(stored):
        return date_text(date.fromisoformat(stored))
    return _MOMENT.sub(lambda found: utc(datetime.fromisoformat(found[0])), stored)


@lru_cache(1000)
def _written(value: date, form: str, _language: str | None) -> str:
    """Format and cache: both lines of a game have its moment, and lists repeat them."""
    return date_format(value, form)


def _in_utc(value: date) -> date:
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def utc_text(moment: datetime) -> str:
    """Format a moment as ISO 8601 in UTC: 2026-03-14T20:00:05Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
