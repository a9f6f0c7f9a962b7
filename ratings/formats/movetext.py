"""The moves of a PGN game, played through on a board: how many, who used how much time, who won.

``chess.pgn`` passes in silence over whatever it takes for no move; here every character is accounted for.
"""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import chess

from ratings.formats.problems import shown
from ratings.formats.results import result_of
from ratings.rules.time_controls import Control

_TOKEN: Final = re.compile(
    r"""
      \s+ | ;.* | \$[0-9]+ | [!?]{1,2} | e\.p\.     # space, comment to the end of the line, glyphs
    | \{(?P<comment>[^}]*)\}
    | (?P<bracket>[()])
    | (?P<result>1-0|0-1|1/2-1/2|½-½|1/2|\*)(?![^\s;{()])
    | [1-9][0-9]{0,3}(?:\.+|(?=[\sKQRBNa-hO])) | \.+  # move numbers
    | (?P<move>[KQRBNa-hO0][-=+\#xa-hKQRBNnqrkbO0-8]*)
    """,
    re.VERBOSE,
)

_ASIDE: Final = re.compile(r"(?P<bracket>[()])|\{[^}]*\}|;.*|[^(){;]+")
"""What stands in a variation: null moves, letters for diagrams and whatever else a program writes there."""

_ENDS: Final = re.compile(r"(?:\A|[\s)])(?:1-0|0-1|1/2-1/2|½-½|1/2|\*)\Z")

_CLOCK: Final = re.compile(r"\[%clk\s+([0-9]{1,3}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{1,6})?)\s*\]")

_COMMENT: Final = re.compile(r"\{[^}]*(\}|\Z)|;.*")


@dataclass(slots=True)
class Played:
    """What the moves tell. ``result``: the token at the end, ``*`` included, ``""`` if the text breaks off.

    ``moves``: of both sides. ``clocks``: for White and Black the last clock that was
    noted, with the moves they had made by then.
    """

    plies: int = 0
    result: str = ""
    moves: list[chess.Move] = field(default_factory=list, compare=False, repr=False)
    clocks: dict[chess.Color, tuple[int, timedelta]] = field(default_factory=dict)

    def time_used(self, control: Control) -> timedelta:
        """By both sides together, as far as clocks are noted; never negative, nor for one side alone."""
        used = timedelta()
        for moves, left in self.clocks.values():
            had = timedelta(seconds=control.initial + control.increment * moves)
            used += max(had - left, timedelta())
        return used


def after_line(line: str, is_open: bool) -> tuple[bool, bool | None]:
    """Whether a ``{`` comment is open after a line of movetext, and whether its moves end with a result.

    ``is_open``: whether one was open before it. The second is None for a line of comments alone.
    """
    text = "{" + line if is_open else line
    last, start, is_open = "", 0, False
    for match in _COMMENT.finditer(text):
        last = text[start : match.start()].strip() or last
        start = match.end()
        is_open = match[1] == ""
    last = text[start:].strip() or last
    return is_open, _ENDS.search(last[-8:]) is not None if last else None


def play(movetext: str) -> Played:
    """Play the main line through from the initial position; variations are passed over.

    Raises ValueError with the move and what is wrong with it, or the text that is no part of a game.
    """
    played = Played()
    board = chess.Board()
    depth = position = 0
    while position < len(movetext):
        token = (_ASIDE if depth else _TOKEN).match(movetext, position)
        if token is None:
            raise ValueError(
                f"the moves hold {shown(movetext[position:].split(maxsplit=1)[0])}, which is no move"
            )
        position = token.end()
        kind = token.lastgroup
        if kind is None:
            continue
        if kind == "bracket":
            depth += 1 if token[0] == "(" else -1
            if depth < 0:
                raise ValueError("a variation is closed that was never opened")
        elif kind == "comment":
            _note_clock(played, token["comment"])
        elif played.result:
            raise ValueError(f"{shown(token[0])} stands after the result {played.result}")
        elif kind == "result":
            # A game in progress stays “*”: "" is for moves that break off.
            played.result = result_of(token[0]) or token[0]
        else:
            _make_move(board, token[0])
            played.plies += 1
    if depth:
        raise ValueError("a variation is opened and never closed")
    played.moves = board.move_stack
    return played


def _make_move(board: chess.Board, san: str) -> None:
    try:
        move = board.parse_san(san)
    except ValueError:
        move = chess.Move.null()
    if not move:
        side = "White" if board.turn else "Black"
        raise ValueError(f"move {board.fullmove_number} of {side}, {shown(san)}, is not legal or not clear")
    board.push(move)


def _note_clock(played: Played, comment: str) -> None:
    if played.plies and (clock := _CLOCK.search(comment)):
        left = timedelta(hours=int(clock[1]), minutes=int(clock[2]), seconds=float(clock[3]))
        side = chess.WHITE if played.plies % 2 else chess.BLACK
        played.clocks[side] = ((played.plies + 1) // 2, left)
