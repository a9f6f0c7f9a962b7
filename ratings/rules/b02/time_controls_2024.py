"""FIDE's regulations of 1 March 2024, 1.1 of each chapter: the chapter to which a time control belongs.

*Reading:* the time of a player is base + 60 × increment, with the time of later controls that begin by then;
ratings are those of the list in force, and an unrated player counts as below 1800.
"""

from collections.abc import Sequence
from typing import Final

from ratings.rules.b02.eligibility import seconds_for_60_moves
from ratings.rules.b02.findings import Stage
from ratings.rules.b02.types import Chapter
from ratings.rules.units import Points

FIRST_CONTROL_MOVES: Final = 30
"""Standard 1.1: minimum number of moves of a first time control, where it is given in moves."""

_MINUTE: Final = 60


def seconds_needed(strongest: Points | None) -> int:
    """Return the seconds that each player must have, by the rating of the stronger (1.1 of standard)."""
    if strongest is None or strongest < 1800:
        return 60 * _MINUTE
    return (90 if strongest < 2400 else 120) * _MINUTE


def chapter_of(stages: Sequence[Stage], strongest: Points | None) -> Chapter | None:
    """Return the chapter of a time control, by the higher rating of the two; None if it fits none (1.1)."""
    seconds = seconds_for_60_moves(stages)
    if seconds >= seconds_needed(strongest):
        return Chapter.STANDARD
    if 10 * _MINUTE < seconds < 60 * _MINUTE:
        return Chapter.RAPID
    return Chapter.BLITZ if 3 * _MINUTE < seconds <= 10 * _MINUTE else None
