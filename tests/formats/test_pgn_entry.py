"""A PGN that is entered with a game is played through, and agrees with its result and players."""

import pytest

from ratings.formats.pgn_entry import disagreements

MATE = "1. f3 e5 2. g4 Qh4# 0-1"
STALEMATE = (
    "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7 9. Qxc8 Kg6"
    " 10. Qe6"
)


def of(pgn, result="0-1", plies=None, white=("Berg, Anna", "anna"), black=("bob",)):
    return disagreements(pgn, result=result, plies=plies, white=white, black=black)


@pytest.mark.parametrize(
    ("pgn", "result"),
    [
        ("", "1-0"),
        (MATE, "0-1"),
        (MATE.removesuffix(" 0-1"), "0-1"),
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
        ("1. e4 e5 2. Ke3", "1-0", "move 2 of White, “Ke3”, is not legal or not clear"),
        ("1. e4 e5 1-0", "0-1", "the PGN says “1-0”, but the result is “0-1”"),
        ("1. e4 *", "0-1", "the PGN says “*”, but the result is “0-1”"),
        ("1. e4 1-0", "", "the PGN says “1-0”, but the result is “*”"),
        (MATE.removesuffix(" 0-1"), "1-0", "the last position means 0-1, but the result is “1-0”"),
        (STALEMATE, "1-0", "the last position means 1/2-1/2, but the result is “1-0”"),
        ('[White "Carl"]\n[Black "bob"]\n\n1. e4 0-1', "0-1", "the PGN names “Carl” as White"),
        ('[White "a"]\n\n1. e4 0-1\n\n[White "b"]\n\n1. d4 0-1', "0-1", "the text has 2 games: enter one"),
    ],
)
def test_what_disagrees_is_said(pgn, result, told):
    assert told in of(pgn, result)


def test_the_number_of_half_moves_agrees():
    assert of(MATE, plies=4) == []
    assert of(MATE, plies=5) == ["the PGN has 4 half-moves, but 5 plies are entered"]
