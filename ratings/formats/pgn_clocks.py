"""The time used by both players, from the comments on a game's moves: ``%clk`` and ``%emt``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import Final

import chess

from ratings.rules.time_controls import Control

CLOCK: Final = re.compile(r"\[%clk\s+([0-9]{1,3}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{1,6})?)\s*\]")
"""The time left after a move."""

_MOVE_TIME: Final = re.compile(
    r"\[%emt\s+(?:(?:([0-9]{1,3}):)?([0-9]{1,3}):)?([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*\]"
)
"""The time taken for a move: 0:0:4 in ChessBase, 00:00:35 from a DGT board, 1.156 in FICS files."""

_ANY_TIME: Final = re.compile(r"\[%(?:clk|emt)\b[^\]]*\]?", re.IGNORECASE)

_UNTIMED: Final = 2
"""Number of first moves, one for each side, whose time lichess doesn't note."""


@dataclass(slots=True)
class Noted:
    """Times noted after moves of the main line.

    ``first``: each side's clock after its first move. ``last``: each side's last clock, with the moves that
    side had made. ``used``: each side's total move time; ``timed`` counts these moves for both sides
    together. ``clocks``: the number of moves with a clock, counted only if there are move times. ``unread``:
    the first unreadable time, such as ``[%clk 2:58]``, if no time can be read.
    """

    first: dict[chess.Color, timedelta] = field(default_factory=dict)
    last: dict[chess.Color, tuple[int, timedelta]] = field(default_factory=dict)
    clocks: int = 0
    used: dict[chess.Color, timedelta] = field(default_factory=dict)
    timed: int = 0
    unread: str = ""

    def __bool__(self) -> bool:
        return bool(self.timed or self.last)

    @property
    def has_move_times(self) -> bool:
        """True if most moves have a time, which makes move times more reliable than the clocks."""
        return self.timed > 0 and self.timed >= self.clocks - _UNTIMED

    def without_clock(self, plies: int) -> str:
        """Return the side that moved without a clock although the other has one, or ``""``."""
        if self.has_move_times or len(self.last) != 1 or plies < len(chess.COLORS):
            return ""
        return "Black" if chess.WHITE in self.last else "White"

    def time_used(
        self,
        control: Control,
        plies: int,
        *,
        berserk: Mapping[chess.Color, bool] = MappingProxyType({}),
        flagged: chess.Color | None = None,
    ) -> timedelta:
        """Return the time that both sides used together.

        ``berserk``: whether a side began with half the time and got no increment. If that isn't given, a
        first clock of exactly half the time implies it. ``flagged``: the side that lost on time, and so used
        all of its time.
        """
        begun = {side: self._begun(control, side, berserk) for side in chess.COLORS}
        # lichess starts the clocks after each side's first move, and adds no increment for that move.
        waits = bool(self.first) and all(left == begun[side][0] for side, left in self.first.items())
        total = timedelta()
        for side, (initial, increment) in begun.items():
            made = (plies + (side is chess.WHITE)) // 2
            if side is flagged:
                used = max(initial + increment * max(made - waits, 0), self._by_moves(side))
            elif self.has_move_times:
                used = self._by_moves(side)
            elif side in self.last:
                moves, left = self.last[side]
                used = initial + increment * (moves - waits) - left
            else:
                continue
            # A clock above what the control allows must not reduce the total.
            total += max(used, timedelta())
        return total

    def _by_moves(self, side: chess.Color) -> timedelta:
        return self.used.get(side, timedelta()) if self.has_move_times else timedelta()

    def _begun(
        self, control: Control, side: chess.Color, berserk: Mapping[chess.Color, bool]
    ) -> tuple[timedelta, timedelta]:
        """Return this side's initial time and its increment."""
        whole = timedelta(seconds=control.initial)
        # Half of 15 seconds is written as 0:00:08.
        halves = (whole / 2, timedelta(seconds=(control.initial + 1) // 2))
        if berserk.get(side, bool(whole) and self.first.get(side) in halves):
            return whole / 2, timedelta()
        return whole, timedelta(seconds=control.increment)


def noted(comments: Sequence[tuple[int, str]]) -> Noted:
    """Return the times in these comments. Each comes with the number of half-moves made before it."""
    found = Noted()
    _note_clocks(found, comments)
    # Searching every comment for them made reading files without any 40 % slower.
    if any("%emt" in comment for _plies, comment in comments):
        _note_move_times(found, comments)
    if not found:
        times = (_ANY_TIME.search(comment) for _plies, comment in comments)
        found.unread = next((time[0] for time in times if time), "")
    return found


def _note_clocks(found: Noted, comments: Sequence[tuple[int, str]]) -> None:
    """Note each side's clock after its first move, and its last clock. A move's last comment counts."""
    for plies, comment in comments:
        if plies > len(chess.COLORS):
            break
        if plies and (clock := CLOCK.search(comment)):
            found.first[_side(plies)] = _span(*clock.groups())
    for plies, comment in reversed(comments):
        side = _side(plies)
        if plies and side not in found.last and (clock := CLOCK.search(comment)):
            found.last[side] = (plies + 1) // 2, _span(*clock.groups())
            if len(found.last) == len(chess.COLORS):
                break


def _note_move_times(found: Noted, comments: Sequence[tuple[int, str]]) -> None:
    found.clocks = len({plies for plies, comment in comments if plies and CLOCK.search(comment)})
    timed = {}
    for plies, comment in comments:
        if plies and plies not in timed and (took := _MOVE_TIME.search(comment)):
            timed[plies] = _span(*took.groups("0"))
    found.timed = len(timed)
    for plies, span in timed.items():
        found.used[_side(plies)] = found.used.get(_side(plies), timedelta()) + span


def _side(plies: int) -> chess.Color:
    return chess.WHITE if plies % 2 else chess.BLACK


def _span(hours: str, minutes: str, seconds: str) -> timedelta:
    return timedelta(hours=int(hours), minutes=int(minutes), seconds=float(seconds))
