"""The moves of a PGN game, played through on a board: their number, the times noted with them, and who won.

``chess.pgn`` silently skips whatever it doesn't recognise as a move; here every character is accounted for.
"""

import re
from dataclasses import dataclass, field
from typing import Final

import chess

from ratings.formats.pgn_clocks import Noted, noted
from ratings.formats.problems import shown
from ratings.formats.results import AT_THE_END, BETWEEN, ENDS, LONGEST, result_of
from ratings.rules.rbb.terminations import LastPosition, Termination

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
            raise ValueError(f"{shown(move or result or '')} stands after the result {played.result}")
        elif result:
            # A game in progress keeps “*”: "" is for moves that break off.
            played.result = result_of(result) or result
        elif not token or (not depth and position < len(movetext)):
            raise ValueError(
                f"the moves hold {shown(movetext[position:].split(maxsplit=1)[0])}, which isn't a move"
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
        raise ValueError(f"move {board.fullmove_number} of {side}, {shown(san)}, is not legal or not clear")
    board.push(move)
