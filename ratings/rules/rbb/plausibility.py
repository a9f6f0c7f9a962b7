"""Facts that the regulations don't forbid and are hardly ever right: the office is warned and decides."""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from enum import Enum
from functools import lru_cache
from typing import Final

from ratings.rules.cited import _
from ratings.rules.rbb.conditions import Span
from ratings.rules.time_controls import Control

TOLERANCE: Final = timedelta(minutes=10)
"""Before the clocks start, and while the server doesn't answer."""

DAY_ALONE: Final = timedelta(hours=23, minutes=59, seconds=59)
"""Length of a stored game of which only the day is known: from the start of the day to its end."""

NO_LIMIT: Final = timedelta(days=3_650)
"""Maximum length of a game at a control that isn't seconds and increment."""

MOST_PLIES: Final = 600
"""Moves of both sides together in a game whose moves are not known. The longest games have fewer than 300."""


class Doubt(Enum):
    """Something implausible, in a sentence about a game or a starting rating."""

    TOO_LONG = _("It lasted %(lasted)s, but at %(control)s a game can last at most %(longest)s.")
    SAME_GAME = _(
        "It may be the same game as game %(other)s, so it isn’t rated until we have looked at both."
    )
    OVERLAP = _("It overlaps another rated game of %(player)s: %(other)s.")
    BEFORE_MEMBERSHIP = _(
        "It takes effect on %(day)s, but %(player)s first became a full member on %(first)s (RBB 3.4)."
    )
    NEVER_A_MEMBER = _("It takes effect on %(day)s, but %(player)s has never been a full member (RBB 3.4).")


def is_day_alone(started_at: datetime, ended_at: datetime) -> bool:
    """Return True for the moments of a whole day, which don't say how long a game lasted."""
    return ended_at - started_at == DAY_ALONE and started_at.astimezone(UTC).time() == time()


@lru_cache(maxsize=1024)
def longest(control: Control, plies: int | None) -> timedelta:
    """Return how long a game can last: both starting times, an increment for each move, and the tolerance.

    ``plies``: moves of both sides together; None if they are not known. A control that isn't seconds and
    increment, as in correspondence chess, sets no limit that the office knows.
    """
    if control.written:
        return NO_LIMIT
    moves = MOST_PLIES if plies is None else plies
    return timedelta(seconds=2 * control.initial + moves * control.increment) + TOLERANCE


def lasts_too_long(started_at: datetime, ended_at: datetime, control: Control, plies: int | None) -> bool:
    """Return True for a game that lasted longer than it can; never for one of which only the day is known."""
    return ended_at - started_at > longest(control, plies) and not is_day_alone(started_at, ended_at)


def is_forgotten(control: Control, started_at: datetime, at: datetime) -> bool:
    """Return True for a game that can't be going on any more: its server forgot to say how it ended.

    The moves so far say nothing of those to come, so MOST_PLIES are assumed.
    """
    return at - started_at > longest(control, None)


def first_day(spans: Iterable[Span]) -> datetime | None:
    """Return 00:00 UTC of a member's first day of full membership; None without spans (RBB 3.4)."""
    first = min((begin for begin, _end in spans), default=None)
    return first and datetime.combine(first.astimezone(UTC).date(), time(), UTC)
