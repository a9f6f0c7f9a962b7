"""The dates of reports. The specification has YYYY/MM/DD, and YY/MM/DD for rounds; files have other forms."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

_ORDERS: Final = ("ymd", "dmy", "mdy", "ydm")
"""Orders of year, month and day, as they are tried. The last occurs in real files: 11.25.02 for 25 February
2011."""

_NUMBERS: Final = re.compile("(?<![0-9])([0-9]{1,4})[^0-9]{1,3}([0-9]{1,2})[^0-9]{1,3}([0-9]{1,4})(?![0-9])")
_DIGITS: Final = re.compile("(?<![0-9])([0-9]{4})([0-9]{2})([0-9]{2})(?![0-9])")
_DAY_FIRST: Final = re.compile(
    "(?<![0-9])([0-9]{1,2})[a-z]{0,2}[ .-]+([A-Z][a-z]{2})[a-z]*[ .,-]+([0-9]{4})", re.I
)
_MONTH_FIRST: Final = re.compile("([A-Z][a-z]{2})[a-z]*[ .]+([0-9]{1,2})[a-z]{0,2},? +([0-9]{4})", re.I)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_LONGEST: Final = 100
"""Maximum number of characters of a text that are examined."""

_FIRST_OF_THE_TWENTIETH: Final = 70
"""First two-digit year of the 20th century: 69 is 2069, 70 is 1970."""


def start_and_end(start: str, end: str) -> tuple[date | None, date | None]:
    """Return the first and last day (records 042, 052), if possible in one order that fits both.

    None for a date that is missing or can't be read.
    """
    readings = _readings((start, end))
    first, last = next(
        (days for days in readings if days[0] <= days[1]), readings[0] if readings else (None, None)
    )
    return first or _alone(start), last or _alone(end)


def is_ambiguous(start: str, end: str) -> bool:
    """Return whether the two dates can be read in more than one way, as 02/10/2010 alone can."""
    together = _readings([text for text in (start, end) if text])
    readings = [together] if together else [_readings([start]), _readings([end])]
    return any(len(set(map(tuple, days))) > 1 for days in readings)


def round_dates(texts: Sequence[str], start: date | None, end: date | None) -> tuple[date | None, ...]:
    """Return the day of each round, in the order that fits first and last day; None if blank."""
    readings = _readings([text for text in texts if text])
    if not readings:
        return tuple(map(_alone, texts))
    fitting = (days for days in readings if days[0] == start and days[-1] == (end or days[-1]))
    days = iter(next(fitting, readings[0]))
    return tuple(next(days) if text else None for text in texts)


def _readings(texts: Sequence[str]) -> list[list[date]]:
    """Return the texts as dates, once for each order in which all of them are dates."""
    found = []
    for order in _ORDERS:
        days = [day for text in texts if (day := _read(text, order))]
        if days and len(days) == len(texts):
            found.append(days)
    return found


def _alone(text: str) -> date | None:
    return next((day for order in _ORDERS if (day := _read(text, order))), None)


def _read(text: str, order: str) -> date | None:
    text = text[:_LONGEST]
    if match := _DIGITS.search(text):
        order = "ymd"
    elif match := _DAY_FIRST.search(text):
        order = "dmy"
    elif match := _MONTH_FIRST.search(text):
        order = "mdy"
    elif not (match := _NUMBERS.search(text)):
        return None
    part = dict(zip(order, match.groups(), strict=True))
    whole = len(part["y"]) == 4
    # After a four-digit year the month comes first; between dots, the day comes first.
    if whole and (order == "ydm" or (order == "mdy" and "." in match[0] and part["m"].isdigit())):
        return None
    month = part["m"].lower()
    try:
        return date(
            int(part["y"]) if whole else _in_full(part["y"]),
            _MONTHS.index(month) + 1 if month in _MONTHS else int(month),
            int(part["d"]),
        )
    except ValueError:
        return None


def _in_full(year: str) -> int:
    """Return the full year for two digits; raises ValueError for any other number of digits."""
    if len(year) != 2:
        raise ValueError(year)
    return int(year) + (1900 if int(year) >= _FIRST_OF_THE_TWENTIETH else 2000)
