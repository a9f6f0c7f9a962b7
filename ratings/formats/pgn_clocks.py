"""The time that both players used, by what the comments of a game's moves note: ``%clk`` and ``%emt``."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import chess

from ratings.rules.time_controls import Control

CLOCK: Final = re.compile(r"\[%clk\s+([0-9]{1,3}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{1,6})?)\s*\]")
"""The time that is left after a move."""

_MOVE_TIME: Final = re.compile(
    r"\[%emt\s+(?:(?:([0-9]{1,3}):)?([0-9]{1,3}):)?([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*\]"
)
"""The time that a move took: 0:0:4 in ChessBase, 00:00:35 of a DGT board, 1.156 in files of FICS."""

_UNTIMED: Final = 2
"""First moves, one of each side, whose time lichess doesn't note."""


@dataclass(slots=True)
class Noted:
    """Times noted after moves of the main line.

    ``first``: what each side's clock showed after its first move. ``last``: the last clock of each side, with
    the moves that side had made. ``clocks``: how many moves have one. ``used``: the sum of each side's move
    times, of ``timed`` moves together.
    """

    first: dict[chess.Color, timedelta] = field(default_factory=dict)
    last: dict[chess.Color, tuple[int, timedelta]] = field(default_factory=dict)
    clocks: int = 0
    used: dict[chess.Color, timedelta] = field(default_factory=dict)
    timed: int = 0

    @property
    def has_move_times(self) -> bool:
        """Whether move times say more than clocks: most moves have one."""
        return self.timed > 0 and self.timed >= self.clocks - _UNTIMED

    def time_used(
        self,
        control: Control,
        plies: int,
        *,
        berserk: Collection[chess.Color] = (),
        flagged: chess.Color | None = None,
    ) -> timedelta:
        """Return what both sides used together.

        ``berserk``: sides that began with half the time and got no increment; a first clock of exactly that
        half says so too. ``flagged``: the side that lost on time, and so used all of it.
        """
        begun = {side: self._begun(control, side, berserk) for side in chess.COLORS}
        # lichess starts the clocks after the first move of each side, and adds nothing for that move.
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
            # A clock with more than the control allows shortens nothing.
            total += max(used, timedelta())
        return total

    def _by_moves(self, side: chess.Color) -> timedelta:
        return self.used.get(side, timedelta()) if self.has_move_times else timedelta()

    def _begun(
        self, control: Control, side: chess.Color, berserk: Collection[chess.Color]
    ) -> tuple[timedelta, timedelta]:
        """Return the time with which this side began, and its increment."""
        whole = timedelta(seconds=control.initial)
        # Half of 15 seconds is written as 0:00:08.
        halves = (whole / 2, timedelta(seconds=(control.initial + 1) // 2))
        if side in berserk or (whole and self.first.get(side) in halves):
            return whole / 2, timedelta()
        return whole, timedelta(seconds=control.increment)


def noted(comments: Sequence[tuple[int, str]]) -> Noted:
    """Return what these comments note, each with the half-moves made before it."""
    found = Noted()
    clock_of = time_of = 0
    for plies, comment in comments:
        if "%" not in comment or not plies:
            continue
        side, moves = (chess.WHITE if plies % 2 else chess.BLACK), (plies + 1) // 2
        if clock := CLOCK.search(comment):
            left = _span(*clock.groups())
            # The last one after a move counts, as pages show it.
            found.clocks += plies != clock_of
            clock_of = plies
            found.last[side] = moves, left
            if moves == 1:
                found.first[side] = left
        if plies != time_of and (took := _MOVE_TIME.search(comment)):
            time_of = plies
            found.timed += 1
            found.used[side] = found.used.get(side, timedelta()) + _span(*took.groups("0"))
    return found


def _span(hours: str, minutes: str, seconds: str) -> timedelta:
    return timedelta(hours=int(hours), minutes=int(minutes), seconds=float(seconds))
