"""The moves of a PGN game, played through on a board: their number, who won, and the time that both used.

``chess.pgn`` silently skips whatever it doesn't recognise as a move; here every character is accounted for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import Final

import chess

from ratings.formats.problems import shown
from ratings.formats.results import AT_THE_END, BETWEEN, ENDS, LONGEST, result_of
from ratings.rules.rbb.terminations import LastPosition, Termination
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

_ROUNDING: Final = timedelta(seconds=1)
"""Maximum rise of a clock, above its increments, that is explained by rounding or by a slow network."""

_SLOW_START: Final = timedelta(seconds=10)
"""Time in which anybody may make a first move, so that the clocks after it differ."""

_Clocks = dict[chess.Color, list[tuple[int, timedelta]]]


@dataclass(slots=True)
class Noted:
    """Times noted after moves of the main line.

    ``clocks``: each side's clocks, each with the number of moves that the side had made. ``used``: each
    side's total move time; ``timed`` counts these moves for both sides together. ``unread``: the first
    unreadable time, such as ``[%clk 2:58]``, if no time can be read.
    """

    clocks: _Clocks = field(default_factory=dict)
    used: dict[chess.Color, timedelta] = field(default_factory=dict)
    timed: int = 0
    unread: str = ""

    def __bool__(self) -> bool:
        return bool(self.timed or self.clocks)

    @property
    def has_move_times(self) -> bool:
        """True if most moves have a time, which makes move times more reliable than the clocks."""
        return self.timed > 0 and self.timed >= sum(map(len, self.clocks.values())) - _UNTIMED

    def without_clock(self, plies: int) -> str:
        """Return the side that moved without a clock although the other has one, or ``""``."""
        if self.has_move_times or len(self.clocks) != 1 or plies < len(chess.COLORS):
            return ""
        return "Black" if chess.WHITE in self.clocks else "White"

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
        all of its time. Time given to a side during the game is time that it could use as well.
        """
        begun = self._both_begun(control, berserk)
        waits = self._waits(begun)
        total = timedelta()
        for side, (initial, increment) in begun.items():
            made = (plies + (side is chess.WHITE)) // 2
            given = sum((shows - most for _move, most, shows in self._rises(side, begun)), timedelta())
            if side is flagged:
                used = max(initial + increment * max(made - waits, 0) + given, self._by_moves(side))
            elif self.has_move_times:
                used = self._by_moves(side)
            elif side in self.clocks:
                moves, left = self.clocks[side][-1]
                used = initial + increment * (moves - waits) - left + given
            else:
                continue
            # A clock above what the control allows must not reduce the total.
            total += max(used, timedelta())
        return total

    def doubts(
        self, control: Control, *, berserk: Mapping[chess.Color, bool] = MappingProxyType({})
    ) -> Iterator[str]:
        """Yield remarks on clocks that rise, and on first clocks that show time odds."""
        begun = self._both_begun(control, berserk)
        for side in chess.COLORS:
            if rises := self._rises(side, begun):
                move, most, shows = rises[0]
                others = {1: "", 2: " (and once more)"}
                more = others.get(len(rises), f" (and {len(rises) - 1} more times)")
                yield (
                    f"{_name(side)}’s clock shows {_clock(shows)} at move {move}, when at most "
                    f"{_clock(most)} can be left{more}: "
                    "time was added, and what the clock lost counts as used"
                )
        first = self._first
        if len(first) == len(chess.COLORS):
            late = [begun[side][0] - left for side, left in first.items()]
            if max(late) - min(late) > max(_SLOW_START, timedelta(seconds=control.initial) / 10):
                shown = " and ".join(f"{_name(side)}’s {_clock(first[side])}" for side in chess.COLORS)
                yield (
                    f"the first clocks are unequal, {shown}: if these were time odds, the game isn’t rated "
                    "(RBB 2.3)"
                )

    @property
    def _first(self) -> dict[chess.Color, timedelta]:
        """Each side's clock after its first move."""
        return {side: clocks[0][1] for side, clocks in self.clocks.items() if clocks[0][0] == 1}

    def _rises(
        self, side: chess.Color, begun: Mapping[chess.Color, tuple[timedelta, timedelta]]
    ) -> list[tuple[int, timedelta, timedelta]]:
        """Return the moves at which this side's clock rises, with the most possible and what it shows."""
        initial, increment = begun[side]
        found = []
        made, left = 0, initial
        for moves, clock in self.clocks.get(side, ()):
            most = left + increment * (moves - made)
            if clock > most + _ROUNDING:
                found.append((moves, most, clock))
            made, left = moves, clock
        return found

    def _waits(self, begun: Mapping[chess.Color, tuple[timedelta, timedelta]]) -> bool:
        """Return whether the clocks started after each side's first move, without an increment for it.

        lichess does that.
        """
        return bool(self._first) and all(left == begun[side][0] for side, left in self._first.items())

    def _both_begun(
        self, control: Control, berserk: Mapping[chess.Color, bool]
    ) -> dict[chess.Color, tuple[timedelta, timedelta]]:
        return {side: self._begun(control, side, berserk) for side in chess.COLORS}

    def _by_moves(self, side: chess.Color) -> timedelta:
        return self.used.get(side, timedelta()) if self.has_move_times else timedelta()

    def _begun(
        self, control: Control, side: chess.Color, berserk: Mapping[chess.Color, bool]
    ) -> tuple[timedelta, timedelta]:
        """Return this side's initial time and its increment."""
        whole = timedelta(seconds=control.initial)
        # Half of 15 seconds is written as 0:00:08.
        halves = (whole / 2, timedelta(seconds=(control.initial + 1) // 2))
        if berserk.get(side, bool(whole) and self._first.get(side) in halves):
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
    """Note each side's clocks. A move's last comment counts."""
    by_ply = {
        plies: clock for plies, comment in comments if plies and (clock := CLOCK.search(comment)) is not None
    }
    for plies, clock in by_ply.items():
        found.clocks.setdefault(_side(plies), []).append(((plies + 1) // 2, _span(*clock.groups())))


def _note_move_times(found: Noted, comments: Sequence[tuple[int, str]]) -> None:
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


def _name(side: chess.Color) -> str:
    return "White" if side else "Black"


def _clock(left: timedelta) -> str:
    """Return a clock without fractions: 0:05:30."""
    return str(timedelta(seconds=int(left.total_seconds())))


_SIGNS: Final = (
    r"\+/?[-=‐‑–—−]{1,2}|[-=‐‑–—−]{1,2}/?\+(?:-(?!\S))?|=/?∞|∞/?=|=(?!-=)"  # +- +/- += +/= -+ =/+ =
    r"|[±∓⩲⩱≅≌∞⯹□⌓⨀⊙⊕⊗⊖⊞⟳↻↑→⇆⇄⇔⟺○●∆△Δ▽∇∪∩⊥⟂∥⌊⌋✕×⚊⏰‼⁇⁉⁈]"
    r"|(?:TN|RR|N|D)(?![^\s;{()])"  # novelty, editor's remark, diagram
    r"|\+{1,2}|\#|[†‡]|ch(?![\w=])|mate\b"  # check and mate, separated from the move
    r"|[eE]\.?\ ?[pP](?:\.|(?![a-z]))"  # en passant
)
"""Annotators' signs after a move, as in the Informant and in ChessBase."""

_GLUED: Final = r"[eE]\.?\ ?[pP]|ch(?![1-8])"
"""Signs whose letters could be taken for more of the move: exd6ep, Bb5ch."""

_TOKEN: Final = re.compile(
    rf"""
    (?: \s+ | ;.* | \$[0-9]+ | [!?]{{1,2}}                # space, comment to the end of the line, glyphs
      | [1-9][0-9]{{0,3}}(?:\.+|(?=[\sKQRBNa-hO])(?!{BETWEEN}0)) | \.+  # move numbers
      | {_SIGNS}
    )*
    (?: \{{([^}}]*)\}}
      | ([()])
      | ({AT_THE_END}|[+-]/[+-])(?![^\s;{{()])
      | ([KQRBNa-hO0](?:(?!{_GLUED})[xa-hKQRBNnqrkbO0-8]|[-=](?=[a-hO0QRBNqrbn]))*(?:\+(?![-=/‐‑–—−])|\#)*)
        (?:\s*\{{([^}}]*)\}})?
    )?
    """,
    re.VERBOSE,
)
# Not possessive: combined with a lookahead, CPython 3.11 would take one character too many. Everything that
# follows is optional, so nothing is tried twice.
"""A significant token, after insignificant text: a comment, a bracket, a result, or a move with its
comment."""

_ASIDE: Final = re.compile(r"([()])|\{[^}]*\}|;.*|[^(){;]+")
"""Pieces of a variation: null moves, letters for diagrams and whatever else programs write there."""


_COMMENT: Final = re.compile(r"\{[^}]*(\}|\Z)|;.*")


_GOES_ON: Final = LastPosition(Termination.NORMAL, "")


@dataclass(slots=True)
class Played:
    """A game as its moves show it.

    ``result``: the token at the end, including ``*``; ``""`` if the text breaks off. ``moves``: both sides'
    moves in UCI notation. ``last``: what the last position decides. ``noted``: the times in the moves'
    comments.
    """

    plies: int = 0
    result: str = ""
    moves: list[str] = field(default_factory=list, compare=False, repr=False)
    last: LastPosition = _GOES_ON
    noted: Noted = field(default_factory=Noted)


def after_line(line: str, is_open: bool) -> tuple[bool, bool | None]:
    """Return whether a ``{`` comment is open after a line of movetext, and whether a result ends its moves.

    ``is_open``: whether a comment was open before it. The second value is None for a line of comments alone.
    """
    text = "{" + line if is_open else line
    last, start, is_open = "", 0, False
    for match in _COMMENT.finditer(text):
        last = text[start : match.start()].strip() or last
        start = match.end()
        is_open = match[1] == ""
    last = text[start:].strip() or last
    return is_open, ENDS.search(last[-LONGEST - 1 :]) is not None if last else None


def play(movetext: str) -> Played:
    """Play the main line through from the initial position, skipping variations.

    Raises ValueError with the move and its fault, or with the text that isn't part of a game.
    """
    played = Played()
    board = chess.Board()
    comments: list[tuple[int, str]] = []
    depth = position = 0
    while position < len(movetext):
        comment = bracket = result = move = after = None
        if depth:
            if token := _ASIDE.match(movetext, position):
                bracket = token[1]
        elif token := _TOKEN.match(movetext, position):
            comment, bracket, result, move, after = token.groups()
        position = token.end() if token else position
        if move and not played.result:
            _make_move(board, move)
            played.plies += 1
            if after:
                comments.append((played.plies, after))
        elif bracket:
            depth += 1 if bracket == "(" else -1
            if depth < 0:
                raise ValueError("a variation is closed that was never opened")
        elif comment is not None:
            comments.append((played.plies, comment))
        elif move or (result and played.result):
            raise ValueError(f"{shown(move or result or '')} comes after the result {played.result}")
        elif result:
            # A game in progress keeps “*”: "" is for moves that break off.
            played.result = result_of(result) or result
        elif not token or (not depth and position < len(movetext)):
            raise ValueError(
                f"the moves contain {shown(movetext[position:].split(maxsplit=1)[0])}, which isn’t a move"
            )
    if depth:
        raise ValueError("a variation is opened and never closed")
    played.moves = [move.uci() for move in board.move_stack]
    played.last = _decided(board)
    played.noted = noted(comments)
    return played


def _decided(board: chess.Board) -> LastPosition:
    """Return how this position ended the game, if it did (FIDE Laws 5.1.1, 5.2.1, 5.2.2 and 6.9)."""
    if not any(board.generate_legal_moves()):
        if board.is_check():
            return LastPosition(Termination.CHECKMATE, "0-1" if board.turn else "1-0")
        return LastPosition(Termination.STALEMATE, "1/2-1/2")
    wins = (("1-0", chess.WHITE), ("0-1", chess.BLACK))
    unable = tuple(win for win, winner in wins if board.has_insufficient_material(winner))
    if len(unable) == len(wins):
        return LastPosition(Termination.INSUFFICIENT_MATERIAL, "1/2-1/2", unable)
    return LastPosition(Termination.NORMAL, "", unable)


def _make_move(board: chess.Board, san: str) -> None:
    try:
        # Double check and mate are written with two signs.
        move = board.parse_san(san.rstrip("+#"))
    except ValueError:
        move = chess.Move.null()
    if not move:
        side = "White" if board.turn else "Black"
        raise ValueError(f"move {board.fullmove_number} of {side}, {shown(san)}, is illegal or ambiguous")
    board.push(move)
