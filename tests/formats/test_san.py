"""The moves of a game, checked as python-chess checks them."""

import random
from collections.abc import Callable

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ratings.formats.san import Moves

SPELLINGS: tuple[Callable[[chess.Board, chess.Move], str], ...] = (
    lambda board, move: board.san(move),
    lambda board, move: board.san(move).rstrip("+#").replace("x", ""),
    lambda board, move: board.san(move).replace("=", "").replace("O", "0"),
    lambda board, move: board.lan(move),
    lambda board, move: board.lan(move).replace("-", "").replace("x", ""),
    lambda board, move: board.uci(move),
)


def assert_the_same(board: chess.Board, moves: Moves, san: str) -> bool:
    """Make a move in both, which say the same of it; whether it was legal."""
    try:
        expected = board.parse_san(san)
        legal = bool(expected)
    except ValueError:
        legal = False
    if not legal:
        with pytest.raises(ValueError, match=r".*"):
            moves.make(san)
        return False
    moves.make(san)
    board.push(expected)
    assert moves.uci == [move.uci() for move in board.move_stack]
    return True


def replayed(board: chess.Board) -> Moves:
    """The game so far, made anew."""
    moves = Moves()
    again = chess.Board()
    for move in board.move_stack:
        moves.make(again.san(move))
        again.push(move)
    return moves


@given(st.integers(0, 2**32))
@example(7)
def test_every_legal_move_of_a_game_is_read_as_python_chess_reads_it(seed: int) -> None:
    dice = random.Random(seed)
    board, moves = chess.Board(), Moves()
    for _ in range(dice.randint(1, 160)):
        # Captures, castling and promotions are rare among random moves.
        legal = list(board.legal_moves)
        if not legal:
            break
        special = [
            move for move in legal if board.is_castling(move) or move.promotion or board.is_en_passant(move)
        ]
        move = dice.choice(special or legal)
        assert assert_the_same(board, moves, dice.choice(SPELLINGS[:3])(board, move))
    assert moves.position.fen().split()[:4] == board.fen().split()[:4]
    assert list(moves.position.legal_moves) == list(board.legal_moves)


@given(st.integers(0, 2**32))
def test_every_spelling_in_a_position_has_the_verdict_of_python_chess(seed: int) -> None:
    dice = random.Random(seed)
    board = chess.Board()
    for _ in range(dice.randint(0, 120)):
        legal = list(board.legal_moves)
        if not legal:
            break
        board.push(dice.choice(legal))
    sayings = {spelled(board, move) for move in board.pseudo_legal_moves for spelled in SPELLINGS[3:]}
    sayings |= {
        f"{piece}{origin}{chess.SQUARE_NAMES[dice.randrange(64)]}{promotion}"
        for piece in ("", "N", "B", "R", "Q", "K")
        for origin in ("", "x", "a", "e", "h", "1", "4", "8", "b1", "g8")
        for promotion in ("", "=Q", "n", "k")
    }
    sayings |= {piece + square for piece in ("", "N", "B", "R", "Q", "K") for square in chess.SQUARE_NAMES}
    sayings |= {"O-O", "O-O-O", "0-0+", "0-0-0#", "O-0", "--", "Z0", "e.p."}
    for san in dice.sample(sorted(sayings), 12):
        assert_the_same(board.copy(), replayed(board), san)


@pytest.mark.parametrize(
    ("line", "last", "legal"),
    [
        ("e4 a6 e5 d5", "exd6", True),
        ("e4 a6 e5 d5 a3 a5", "exd6", False),
        ("e4 h5 e5 Rh6 Ke2 Rg6 Kd3 Rg5 Kc4 h4 Kb5 d5", "exd6", False),
        ("Nf3 Nf6 g3 g6 Bg2 Bg7", "O-O", True),
        ("Nf3 Nf6 g3 g6 Bg2 Bg7 Rg1 a6 Rh1 a5", "O-O", False),
        ("Nf3 b6 g3 Ba6 Bg2 Bxe2 a3 Bd3", "O-O", False),
        ("e4 d5 Bb5", "Nf6", False),
        ("e4 d5 Bb5", "Nd7", True),
        ("e4 d5 Bb5 Nc6 a3", "Nb4", False),
        ("d4 d5 Nc3 a6 Bf4 a5 Qd3 a4", "O-O-O", True),
        ("d4 d5 Nc3 a6 Bf4 a5 Qd3 a4", "Kc1", False),
        ("Nf3 a6 Nc3 a5", "Nd4", True),
        ("Nf3 a6 d3 a5", "Nd2", False),
        ("e4 d6 d3 Bg4 Ne2 a6", "Nd2", True),
    ],
)
def test_castling_en_passant_pins_and_checks_are_known(line: str, last: str, legal: bool) -> None:
    board, moves = chess.Board(), Moves()
    for san in line.split():
        assert assert_the_same(board, moves, san)
    assert assert_the_same(board, moves, last) is legal
