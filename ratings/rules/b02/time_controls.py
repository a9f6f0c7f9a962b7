"""FIDE B.02 1.1 and 1.3: how much time a game needs, and the chapter to which a time control belongs.

*Reading* of 2024: the time of a player is base + 60 × increment, with the time of later controls that begin
by then; ratings are those of the list in force, and an unrated player counts as below 1800.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple, Self

from ratings.rules.units import Points


class Chapter(IntEnum):
    """Rating lists over the board, by the time for a game: each has a chapter of regulations."""

    STANDARD = 1
    RAPID = 2
    BLITZ = 3

    @property
    def slug(self) -> str:
        """The name in commands and files: ``standard``, ``rapid``, ``blitz``."""
        return self.name.lower()

    @classmethod
    def of(cls, slug: str) -> Self:
        """Return the chapter with this slug. Raises KeyError if there is none."""
        return cls[slug.upper()]


class Stage(NamedTuple):
    """A part of a time control: ``seconds`` for ``moves`` (None: for the rest), and ``increment`` a move."""

    moves: int | None
    seconds: int
    increment: int = 0


FIRST_CONTROL_MOVES: Final = 40
"""B.02 1.3: the moves that are advised for the first time control."""


FIRST_CONTROL_MOVES_2024: Final = 30
"""Standard 1.1: minimum number of moves of a first time control, where it is given in moves."""


_MOVES: Final = 60
"""B.02 1.1: the moves a game is taken to last."""


_MINUTE: Final = 60


def seconds_for_60_moves(stages: Sequence[Stage]) -> int:
    """Return the seconds for 60 moves: the stages that begin by then, and their increments (B.02 1.1)."""
    seconds = moves = 0
    for stage in stages:
        if moves >= _MOVES:
            break
        length = _MOVES - moves if stage.moves is None else min(stage.moves, _MOVES - moves)
        seconds += stage.seconds + stage.increment * length
        moves += length
    return seconds


def minutes_needed(strongest: Points | None) -> int:
    """Return the minutes each player must have, by the highest rating among them, if any (B.02 1.1)."""
    if strongest is None or strongest < 1600:
        return 60
    return 90 if strongest < 2200 else 120


def is_standard(stages: Sequence[Stage], strongest: Points | None) -> bool:
    """Return whether a time control is slow enough for the highest rating (2009: 1.1)."""
    return seconds_for_60_moves(stages) >= _MINUTE * minutes_needed(strongest)


def seconds_needed_2024(strongest: Points | None) -> int:
    """Return the seconds that each player must have, by the rating of the stronger (1.1 of standard)."""
    if strongest is None or strongest < 1800:
        return 60 * _MINUTE
    return (90 if strongest < 2400 else 120) * _MINUTE


def chapter_of_2024(stages: Sequence[Stage], strongest: Points | None) -> Chapter | None:
    """Return the chapter of a time control, by the higher rating of the two; None if it fits none (1.1)."""
    seconds = seconds_for_60_moves(stages)
    if seconds >= seconds_needed_2024(strongest):
        return Chapter.STANDARD
    if 10 * _MINUTE < seconds < 60 * _MINUTE:
        return Chapter.RAPID
    return Chapter.BLITZ if 3 * _MINUTE < seconds <= 10 * _MINUTE else None
