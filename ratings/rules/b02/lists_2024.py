"""FIDE's regulations of 1 March 2024, 7.1.2 and 9.1: the floor, late reports, and the change of that day."""

from datetime import date
from typing import Final

from ratings.rules.b02.lists import months_after
from ratings.rules.rounding import divide_half_up
from ratings.rules.units import Points

FLOOR: Final = Points(1400)
"""7.1.2, 7.2.1: the lowest published rating, in points."""

_LISTS_TO_REPORT: Final = 3
"""9.1: lists after the end of a tournament, the last of which its report must not miss."""

_ONE_OFF_BELOW: Final = Points(2000)
"""One-off change of 1 March 2024: the players below this rating, in points, have it."""


def last_list_to_report(last_day: date) -> date:
    """Return the third list after the end of a tournament: a report that misses it isn't rated (9.1)."""
    return months_after(last_day.replace(day=1), _LISTS_TO_REPORT)


def raised(rating: Points) -> Points:
    """Return a rating after the one-off change of 1 March 2024: 0.40 × (2000 − rating) more, half up."""
    return rating if rating >= _ONE_OFF_BELOW else Points(divide_half_up(3 * rating + 2 * _ONE_OFF_BELOW, 5))
