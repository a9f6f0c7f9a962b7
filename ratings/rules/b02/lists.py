"""FIDE B.02 7 and 9.1 of 2024: lists, who is on which, inactive players, the last list for a report."""

from datetime import date
from enum import Flag, auto
from typing import Final

INACTIVE_MONTHS: Final = 12
"""Months before a list without a rated game after which a player has flag i (B.02 7.23(a))."""


UNLISTED_MONTHS: Final = 36
"""B.02 7.23(b): two more years with the flag, then no longer listed, but still rated."""


_LISTS_TO_REPORT: Final = 3
"""9.1: lists after the end of a tournament, the last of which its report must not miss."""


def months_after(day: date, months: int) -> date:
    """Return the same day ``months`` later (earlier if negative), or the last of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    while True:
        try:
            return date(year, month + 1, day.day)
        except ValueError:
            day = day.replace(day=day.day - 1)


class Lists(Flag):
    """Places where a player's name is published with a list."""

    NOWHERE = 0
    ALPHABETICAL = auto()
    """B.02 7.12: the rating list by name, with inactive players marked i (7.23(b))."""
    ACTIVE = auto()
    """B.02 7.23(b), 7.24: the lists of the federations and the top list: no inactive players."""
    DELISTED = auto()
    """B.02 7.21: players who fell below the floor since the list before."""
    TITLED = auto()
    """B.02 7.22: titled players without a rating."""


def is_inactive(last_game: date, list_day: date) -> bool:
    """Return whether flag i applies: no rated game in the year before the list (B.02 7.23(a))."""
    return last_game < months_after(list_day, -INACTIVE_MONTHS)


def last_list_to_report(last_day: date) -> date:
    """Return the third list after the end of a tournament: a report that misses it isn't rated (9.1)."""
    return months_after(last_day.replace(day=1), _LISTS_TO_REPORT)
