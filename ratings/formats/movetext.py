"""The moves of a PGN game, played through on a board: how many, who used how much time, who won.

``chess.pgn`` passes in silence over whatever it takes for no move; here every character is accounted for.
"""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import chess

from ratings.formats.problems import shown
from ratings.rules.time_controls import Control

_TOKEN: Final = re.compile(
    r"""
      \s+ | ;.* | \$[0-9]+ | [!?]{1,2}              # space, comment to the end of the line, glyphs
    | \{(?P<comment>[^}]*)\}
    | (?P<bracket>[()])
    | (?P<result>1-0|0-1|1/2-1/2|\*)(?![^\s;{()])
    | [1-9][0-9]{0,3}(?:\.+|(?=[\sKQRBNa-hO])) | \.+  # move numbers
    | (?P<move>[KQRBNa-hO0][-=+\#xa-hKQRBNnqrkbO0-8]*)
    """,
    re.VERBOSE,
)

_CLOCK: Final = re.compile(r"\[%clk\s+([0-9]{1,3}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{1,6})?)\s*\]")

_COMMENT: Final = re.compile(r"\{[^}]*(\}|\Z)|;.*")


@dataclass(slots=True)
class Played:
    """What the moves tell. ``result``: the token at the end, ``*`` included, ``""`` if the text breaks off.

    ``clocks``: for White and Black the last clock that was noted, with the moves he had made by then.
    """

    plies: int = 0
    result: str = ""
    clocks: dict[chess.Color, tuple[int, timedelta]] = field(default_factory=dict)

    def time_used(self, control: Control) -> timedelta:
        """By both sides together, as far as clocks are noted; never negative, nor for one side alone."""
        used = timedelta()
        for moves, left in self.clocks.values():
            had = timedelta(seconds=control.initial + control.increment * moves)
            used += max(had - left, timedelta())
        return used


def leaves_comment_open(line: str, is_open: bool) -> bool:
    """Whether a ``{`` comment is open after a line of movetext, given whether one was open before it."""
    text = "{" + line if is_open else line
    return any(match[1] == "" for match in _COMMENT.finditer(text))


def play(movetext: str) -> Played:
    """Play the main line through from the initial position; variations are passed over.

    Raises ValueError with the move and what is wrong with it, or the text that is no part of a game.
    """
    played = Played()
    board = chess.Board()
    depth = position = 0
    while position < len(movetext):
        token = _TOKEN.match(movetext, position)
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
        elif depth:
            continue
        elif kind == "comment":
            _note_clock(played, token["comment"])
        elif played.result:
            raise ValueError(f"{shown(token[0])} stands after the result {played.result}")
        elif kind == "result":
            played.result = token[0]
        else:
            _make_move(board, token[0])
            played.plies += 1
    if depth:
        raise ValueError("a variation is opened and never closed")
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
