"""A PGN that is entered with a game is played through, and agrees with its result and players."""

import random

import chess
import pytest

from ratings.formats.pgn_entry import disagreements, last_position, with_result
from ratings.rules.rbb.terminations import Termination
from tests.formats.pgn_text import MATE as MATED
from tests.formats.pgn_text import STALEMATE

MATE = f"{MATED} 0-1"


def of(pgn, result="0-1", plies=None, white=("Berg, Anna", "anna"), black=("bob",)):
    return disagreements(pgn, result=result, plies=plies, white=white, black=black)


@pytest.mark.parametrize(
    ("pgn", "result"),
    [
        ("", "1-0"),
        (MATE, "0-1"),
        (MATED, "0-1"),
        ("1. e4 *", ""),
        ("1. e4 e5", "1/2-1/2"),
        ('[White "BERG, ANNA"]\n[Black "?"]\n[Result "0-1"]\n\n' + MATE, "0-1"),
        (STALEMATE, "1/2-1/2"),
    ],
)
def test_what_agrees_is_taken_with_or_without_tags_and_result(pgn, result):
    assert of(pgn, result) == []


@pytest.mark.parametrize(
    ("pgn", "result", "told"),
    [
        ("1. e4 e5 2. Ke3", "1-0", "move 2 of White, “Ke3”, is illegal or ambiguous"),
        ("1. e4 e5 1-0", "0-1", "the PGN says “1-0”, but the result is “0-1”"),
        ("1. e4 *", "0-1", "the PGN says “*”, but the result is “0-1”"),
        ("1. e4 1-0", "", "the PGN says “1-0”, but the result is “*”"),
        (MATED, "", "the last position means 0-1, but the result is “*”"),
        (STALEMATE, "", "the last position means 1/2-1/2, but the result is “*”"),
        ('[White "Carl"]\n[Black "bob"]\n\n1. e4 0-1', "0-1", "the PGN names “Carl” as White"),
        ('[White "a"]\n\n1. e4 0-1\n\n[White "b"]\n\n1. d4 0-1', "0-1", "the text has 2 games: enter one"),
    ],
)
def test_what_disagrees_is_said(pgn, result, told):
    assert told in of(pgn, result)


def test_the_number_of_half_moves_agrees():
    assert of(MATE, plies=4) == []
    assert of(MATE, plies=5) == ["the PGN has 4 half-moves, but 5 plies were entered"]


@pytest.mark.parametrize(
    ("pgn", "ending", "result"),
    [
        (MATE, Termination.CHECKMATE, "0-1"),
        (f'[Variant "Standard"]\n\n{MATE}', Termination.CHECKMATE, "0-1"),
        (STALEMATE, Termination.STALEMATE, "1/2-1/2"),
        ("1. e4 e5", Termination.NORMAL, ""),
    ],
)
def test_the_last_position_decides_the_game(pgn, ending, result):
    """FIDE Laws 5.1.1, 5.2.1."""
    assert last_position(pgn)[:2] == (ending, result)


@pytest.mark.parametrize(
    "pgn",
    [
        "",
        "1. e4 Ke4",
        f'[SetUp "1"]\n[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Qkq - 0 1"]\n\n{MATE}',
        f'[Variant "Antichess"]\n\n{MATE}',
    ],
)
def test_of_other_chess_and_of_what_is_not_read_nothing_is_decided(pgn):
    assert last_position(pgn) is None or last_position(pgn).result == ""


def taken_down(is_enough):
    """Moves by chance, captures first, until this is so; and the position after them."""
    dice = random.Random(1)
    while True:
        board, moves = chess.Board(), []
        while not board.is_game_over(claim_draw=False) and not is_enough(board):
            legal = list(board.legal_moves)
            move = dice.choice([one for one in legal if board.is_capture(one)] or legal)
            moves.append(board.san(move))
            board.push(move)
        if is_enough(board):
            return " ".join(moves), board


def test_where_neither_can_checkmate_the_game_is_drawn():
    """FIDE Laws 5.2.2."""
    moves, _board = taken_down(lambda board: board.is_insufficient_material() and any(board.legal_moves))
    assert last_position(moves)[:2] == (Termination.INSUFFICIENT_MATERIAL, "1/2-1/2")


def test_who_has_nothing_left_but_the_king_cannot_win_on_time():
    """FIDE Laws 6.9."""

    def is_bare(board):
        white, black = (chess.popcount(board.occupied_co[side]) for side in (True, False))
        return white == 1 and black > 3 and any(board.legal_moves)

    moves, board = taken_down(is_bare)
    assert last_position(moves) == (Termination.NORMAL, "", ("1-0",)), board


@pytest.mark.parametrize(
    ("pgn", "expected"),
    [
        ("", ""),
        ("1. e4 e5", "1. e4 e5"),
        ("1. e4 e5 1-0", "1. e4 e5 0-1"),
        ("1. e4 e5 *", "1. e4 e5 0-1"),
        ("1. e4 e5 ½-½", "1. e4 e5 0-1"),
        ("1. e4 (1. d4 1-0) e5 1 - 0", "1. e4 (1. d4 1-0) e5 0-1"),
        ("1. e4 {1-0 is near} e5{won 1-0}1-0 {1-0} ; 1-0", "1. e4 {1-0 is near} e5{won 1-0}0-1 {1-0} ; 1-0"),
        (
            '[Event "1-0"]\n[Result "1-0"]\n[Comment "[Result]"]\n\n1. e4 1-0\n',
            '[Event "1-0"]\n[Result "0-1"]\n[Comment "[Result]"]\n\n1. e4 0-1\n',
        ),
    ],
)
def test_the_result_of_a_text_is_replaced_where_it_says_one_and_nowhere_else(pgn, expected):
    assert with_result(pgn, "0-1") == expected


def test_a_game_in_progress_again_ends_with_a_star():
    assert with_result('[Result "1-0"]\n\n1. e4 1-0', "") == '[Result "*"]\n\n1. e4 *'
