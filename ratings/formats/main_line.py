"""The main line of a stored PGN game for a page: each move with the position after it."""

import io
import re
from functools import lru_cache
from typing import Final, NamedTuple

import chess
import chess.pgn

from ratings.formats.movetext import CLOCK

MAX_PLIES: Final = 600
"""Maximum number of half-moves; the longest master games had 540. A longer game is shown as text."""

# The pattern begins with a line end. If it began with blanks, each blank in a long run would be tried.
_GAP: Final = re.compile(r"\n(?:[ \t]*\n)+(?![ \t]*\[)")
_MOVES: Final = re.compile(r"^(?![ \t]*[\[%;\n]).", re.MULTILINE)


class Ply(NamedTuple):
    """A half-move: its move number, side and notation, and the position after it.

    ``made``: half-moves made including this one. ``squares``: from and to, as in UCI: e2e4. ``clock``: the
    player's remaining time, if the text gives it: 2:58, 1:05:00.
    """

    made: int
    number: int
    white: bool
    san: str
    fen: str
    squares: str
    clock: str = ""

    @property
    def placement(self) -> str:
        """The pieces of the position, without the side to move."""
        return self.fen.partition(" ")[0]

    @property
    def name(self) -> str:
        """The move with its number: 23. Qxe5 for White, 23… Qxe5 for Black."""
        return f"{self.number}{'.' if self.white else '…'} {self.san}"


class Position(NamedTuple):
    """A position of a game: the half-moves made, the last of them, and both clocks."""

    made: int
    fen: str
    last: Ply | None
    white_clock: str
    black_clock: str


class MainLine(NamedTuple):
    """The position before the first move, and the moves."""

    start: str
    plies: tuple[Ply, ...]

    @property
    def final(self) -> str:
        return self.plies[-1].fen

    def after(self, made: int) -> Position:
        """Return the position after this many half-moves."""
        plies = self.plies[:made]
        last = plies[-1] if plies else None
        white, black = (
            next((ply.clock for ply in reversed(plies) if ply.white is side and ply.clock), "")
            for side in (True, False)
        )
        return Position(made, last.fen if last else self.start, last, white, black)

    @property
    def is_standard(self) -> bool:
        """True for a game that begins with the initial position of standard chess."""
        return self.start == chess.STARTING_FEN

    @property
    def moves(self) -> list[tuple[int, Ply | None, Ply | None]]:
        """Move numbers with White’s and Black’s moves, None where there is none."""
        found: dict[int, list[Ply | None]] = {}
        for ply in self.plies:
            found.setdefault(ply.number, [None, None])[0 if ply.white else 1] = ply
        return [(number, white, black) for number, (white, black) in found.items()]


class _Reader(chess.pgn.BaseVisitor[MainLine | None]):
    """A visitor that collects the main line. The first fault stops the reading."""

    def begin_game(self) -> None:
        self.start = ""
        self.plies: list[Ply] = []
        self.move: tuple[int, bool, str, str] | None = None

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        if len(self.plies) == MAX_PLIES:
            raise ValueError("too many moves")
        self.move = board.fullmove_number, board.turn, board.san(move), move.uci()[:4]

    def visit_board(self, board: chess.Board) -> None:
        if board.uci_variant != "chess":
            raise ValueError("not standard chess")
        if not self.start:
            self.start = board.fen()
        elif self.move is not None:
            number, white, san, squares = self.move
            self.plies.append(Ply(len(self.plies) + 1, number, white, san, board.fen(), squares))

    def visit_comment(self, comment: str) -> None:
        if self.plies and (clock := CLOCK.search(comment)):
            hours, minutes, seconds = clock.groups()
            left = f"{int(hours)}:{int(minutes):02}" if int(hours) else f"{int(minutes)}"
            self.plies[-1] = self.plies[-1]._replace(
                clock=f"{left}:{float(seconds):04.1f}".removesuffix(".0")
            )

    def handle_error(self, error: Exception) -> None:
        raise error

    def result(self) -> MainLine | None:
        return MainLine(self.start, tuple(self.plies)) if self.plies else None


NOT_BEGUN: Final = MainLine(chess.STARTING_FEN, ())
"""Standard chess before the first move."""


@lru_cache(maxsize=32)
def main_line(pgn: str) -> MainLine | None:
    """Return the moves of the first game in the text; None if there are none or they can't be read."""
    text = pgn.replace("\r\n", "\n").replace("\r", "\n")
    begin = _MOVES.search(text)
    if begin is None:
        return None
    # chess.pgn ends the moves at an empty line, even before the result.
    tags, moves = text[: begin.start()].strip(), text[begin.start() :]
    text = f"{_GAP.sub(chr(10), tags)}\n\n{_GAP.sub(chr(10), moves)}".lstrip()
    try:
        return chess.pgn.read_game(io.StringIO(text), Visitor=_Reader)
    except ValueError:
        return None


def ranks(fen: str) -> list[str]:
    """Return the position's ranks, the eighth first, each as eight letters; a space is an empty square."""
    placement = fen.partition(" ")[0]
    for number in "12345678":
        placement = placement.replace(number, " " * int(number))
    return placement.split("/")


def ahead(fen: str) -> int:
    """Return White's lead in material, in pawns: 3 for a knight or bishop, 5 for a rook, 9 for a queen."""
    placement = fen.partition(" ")[0]
    values = {"P": 1, "N": 3, "B": 3, "R": 5, "Q": 9}
    return sum((1 if letter.isupper() else -1) * values.get(letter.upper(), 0) for letter in placement)


def pieces(fen: str) -> tuple[str, str]:
    """Return White’s pieces and Black’s, with the letters of English notation: Kg1, Qd1, a2."""
    sides: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
    for row, letters in enumerate(ranks(fen)):
        for file, letter in zip("abcdefgh", letters, strict=True):
            if letter != " ":
                sides[letter.islower()].append((letter.upper(), f"{file}{8 - row}"))
    white, black = (
        ", ".join(
            square if letter == "P" else letter + square
            for letter, square in sorted(side, key=lambda piece: ("KQRBNP".index(piece[0]), piece[1]))
        )
        for side in sides
    )
    return white, black
