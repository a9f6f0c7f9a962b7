"""Moves in standard algebraic notation, checked several times faster than python-chess does.

A move is taken here if exactly one legal move is written so. For everything else, python-chess has the last
word, and also checks the rest of that game.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

import chess
from chess import (
    BB_DIAG_ATTACKS,
    BB_DIAG_MASKS,
    BB_FILE_ATTACKS,
    BB_FILE_MASKS,
    BB_KING_ATTACKS,
    BB_KNIGHT_ATTACKS,
    BB_PAWN_ATTACKS,
    BB_RANK_ATTACKS,
    BB_RANK_MASKS,
    BB_SQUARES,
)

_SAN: Final = re.compile(r"([NBKRQ])?([a-h])?([1-8])?[-x]?([a-h][1-8])(?:=?([nbrqNBRQ]))?[+#]?")
_CASTLING: Final = re.compile(r"(O-O(?:-O)?|0-0(?:-0)?)[+#]?")
_UCI: Final = [[a + b for b in chess.SQUARE_NAMES] for a in chess.SQUARE_NAMES]
_LINES: Final = [
    BB_DIAG_ATTACKS[square][0] | BB_FILE_ATTACKS[square][0] | BB_RANK_ATTACKS[square][0]
    for square in chess.SQUARES
]
"""Where a queen on each square of an empty board goes: nothing else can be pinned to a king there."""
_ROOK_MOVES: Final = {
    chess.G1: (chess.H1, chess.F1),
    chess.C1: (chess.A1, chess.D1),
    chess.G8: (chess.H8, chess.F8),
    chess.C8: (chess.A8, chess.D8),
}
"""By the square to which a king castles, what the rook does."""
_LOST: Final = {chess.E1: chess.BB_RANK_1, chess.E8: chess.BB_RANK_8}
_RIGHTS: Final = [~_LOST.get(square, BB_SQUARES[square]) for square in chess.SQUARES]
"""The rooks that may still castle after a move from or to each square."""
_AFTER_TWO_STEPS: Final = (chess.BB_RANK_5, chess.BB_RANK_4)
"""Where pawns of Black and of White are after their double step."""
_TWO_STEPS: Final = 16
_LETTERS: Final = ("", "p", "n", "b", "r", "q")
_TAKEABLE: Final = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


class _Said(NamedTuple):
    """What a move says. ``origin``: the squares from which it may come; ``promotion``: 0 for none."""

    piece: int
    origin: int
    to: int
    promotion: int


@lru_cache(maxsize=1 << 14)
def _said(san: str) -> _Said | None:
    """What a move says, None if only python-chess knows; of castling without origin, as White does it."""
    if castling := _CASTLING.fullmatch(san):
        return _Said(chess.KING, 0, chess.G1 if len(castling[1]) == 3 else chess.C1, 0)
    match = _SAN.fullmatch(san)
    if match is None:
        return None
    letter, file, rank, square, promotion = match.groups()
    to = chess.parse_square(square)
    origin = chess.BB_ALL
    if file:
        origin &= chess.BB_FILES[chess.FILE_NAMES.index(file)]
    if rank:
        origin &= chess.BB_RANKS[int(rank) - 1]
    if not letter:
        if file and rank:
            # Such a move may be any piece's.
            return None
        if not file:
            # No capture, then.
            origin &= chess.BB_FILES[chess.square_file(to)]
        if (BB_SQUARES[to] & chess.BB_BACKRANKS != 0) != bool(promotion):
            return None
    elif promotion:
        return None
    return _Said(
        chess.PIECE_SYMBOLS.index(letter.lower()) if letter else chess.PAWN,
        origin,
        to,
        chess.PIECE_SYMBOLS.index(promotion.lower()) if promotion else 0,
    )


class Moves:
    """A game from the initial position. ``uci``: its moves so far, as UCI writes them."""

    __slots__ = (
        "_board",
        "_en_passant",
        "_in_check",
        "_kings",
        "_pieces",
        "_rights",
        "_sides",
        "_turn",
        "uci",
    )

    def __init__(self) -> None:
        self.uci: list[str] = []
        self._board: chess.Board | None = None
        # By the number of the piece in python-chess; those of both sides together.
        self._pieces = [
            0,
            chess.BB_RANK_2 | chess.BB_RANK_7,
            chess.BB_B1 | chess.BB_G1 | chess.BB_B8 | chess.BB_G8,
            chess.BB_C1 | chess.BB_F1 | chess.BB_C8 | chess.BB_F8,
            chess.BB_CORNERS,
            chess.BB_D1 | chess.BB_D8,
            chess.BB_E1 | chess.BB_E8,
        ]
        self._sides = [chess.BB_RANK_7 | chess.BB_RANK_8, chess.BB_RANK_1 | chess.BB_RANK_2]
        self._kings = [chess.E8, chess.E1]
        self._rights = chess.BB_CORNERS
        self._en_passant = -1
        self._turn = True
        self._in_check = False

    def make(self, san: str) -> None:
        """Make a move; raises ValueError, with the move and the side, if it is not legal or not clear."""
        if self._board is None:
            said = _said(san)
            if said is not None and self._make(said):
                return
            self._board = chess.Board()
            for uci in self.uci:
                self._board.push_uci(uci)
        board = self._board
        try:
            move = board.parse_san(san)
        except ValueError:
            move = chess.Move.null()
        if not move:
            raise ValueError(san)
        board.push(move)
        self.uci.append(move.uci())

    @property
    def position(self) -> chess.Board:
        """The position after the moves so far, without them."""
        if self._board is not None:
            return self._board
        board = chess.Board(None)
        _, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = self._pieces
        board.occupied_co = list(self._sides)
        board.occupied = self._sides[chess.WHITE] | self._sides[chess.BLACK]
        board.turn, board.castling_rights = self._turn, self._rights
        board.ep_square = self._en_passant if self._en_passant >= 0 else None
        return board

    def _make(self, said: _Said) -> bool:
        """Make the one legal move that is said; False if there is none here, or more than one."""
        piece, origin, to, promotion = said
        turn = self._turn
        if not origin:
            return self._castle(to if turn else to ^ 56)
        pieces, own, others = self._pieces, self._sides[turn], self._sides[not turn]
        target = taken = BB_SQUARES[to]
        if own & target:
            return False
        occupied = own | others
        candidates = pieces[piece] & own & origin
        if piece == chess.PAWN:
            if to == self._en_passant:
                taken = BB_SQUARES[to ^ 8]
            if others & taken:
                candidates &= BB_PAWN_ATTACKS[not turn][to]
            else:
                behind = target >> 8 if turn else target << 8
                if target & _AFTER_TWO_STEPS[turn] and not behind & occupied:
                    behind = behind >> 8 if turn else behind << 8
                candidates &= behind
        elif piece == chess.KNIGHT:
            candidates &= BB_KNIGHT_ATTACKS[to]
        elif piece == chess.KING:
            candidates &= BB_KING_ATTACKS[to]
        else:
            reached = 0
            if piece != chess.ROOK:
                reached = BB_DIAG_ATTACKS[to][BB_DIAG_MASKS[to] & occupied]
            if piece != chess.BISHOP:
                reached |= BB_FILE_ATTACKS[to][BB_FILE_MASKS[to] & occupied]
                reached |= BB_RANK_ATTACKS[to][BB_RANK_MASKS[to] & occupied]
            candidates &= reached
        is_king = piece == chess.KING
        king = to if is_king else self._kings[turn]
        may_expose = self._in_check or is_king or taken != target
        left = 0
        while candidates:
            one = candidates & -candidates
            candidates ^= one
            if (may_expose or one & _LINES[king]) and self._is_attacked(
                king, turn, others & ~taken, (occupied ^ one) & ~taken | target
            ):
                continue
            if left:
                return False
            left = one
        if not left:
            return False
        if others & taken:
            for kind in _TAKEABLE:
                if pieces[kind] & taken:
                    pieces[kind] ^= taken
                    break
            self._sides[not turn] = others ^ taken
        pieces[piece] ^= left
        pieces[promotion or piece] |= target
        self._sides[turn] = own ^ left | target
        start = left.bit_length() - 1
        self._en_passant = -1
        if is_king:
            self._kings[turn] = to
        elif piece == chess.PAWN and abs(to - start) == _TWO_STEPS:
            self._en_passant = (to + start) // 2
        self._rights &= _RIGHTS[start] & _RIGHTS[to]
        self._end(start, to, left | target | taken, promotion)
        return True

    def _castle(self, to: int) -> bool:
        """Castle; False if that is not legal."""
        turn, king, (corner, beside) = self._turn, self._kings[self._turn], _ROOK_MOVES[to]
        own, others = self._sides[turn], self._sides[not turn]
        rook = BB_SQUARES[corner]
        if not self._rights & rook or self._in_check or chess.between(king, corner) & (own | others):
            return False
        without = (own | others) ^ BB_SQUARES[king]
        if any(self._is_attacked(square, turn, others, without) for square in (beside, to)):
            return False
        moved = BB_SQUARES[king] | BB_SQUARES[to], rook | BB_SQUARES[beside]
        self._pieces[chess.KING] ^= moved[0]
        self._pieces[chess.ROOK] ^= moved[1]
        self._sides[turn] ^= moved[0] | moved[1]
        self._kings[turn] = to
        self._rights &= _RIGHTS[king]
        self._en_passant = -1
        self._end(king, to, moved[0] | moved[1], 0)
        return True

    def _end(self, start: int, to: int, touched: int, promotion: int) -> None:
        """Note the move and whether it gives check, which takes a change in line with the other king."""
        self.uci.append(_UCI[start][to] + _LETTERS[promotion])
        own, turn = self._sides[self._turn], not self._turn
        king = self._kings[turn]
        self._in_check = bool(touched & (_LINES[king] | BB_KNIGHT_ATTACKS[king])) and self._is_attacked(
            king, turn, own, own | self._sides[turn]
        )
        self._turn = turn

    def _is_attacked(self, square: int, turn: bool, others: int, occupied: int) -> bool:
        """Whether pieces on ``others`` attack a square where the king of the side to move is."""
        _, pawns, knights, bishops, rooks, queens, kings = self._pieces
        return bool(
            others
            & (
                BB_DIAG_ATTACKS[square][BB_DIAG_MASKS[square] & occupied] & (bishops | queens)
                | (
                    BB_FILE_ATTACKS[square][BB_FILE_MASKS[square] & occupied]
                    | BB_RANK_ATTACKS[square][BB_RANK_MASKS[square] & occupied]
                )
                & (rooks | queens)
                | BB_KNIGHT_ATTACKS[square] & knights
                | BB_PAWN_ATTACKS[turn][square] & pawns
                | BB_KING_ATTACKS[square] & kings
            )
        )
