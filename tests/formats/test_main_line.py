"""The main line of a stored game, for a page."""

import pytest

from ratings.formats.main_line import MAX_PLIES, main_line, pieces, ranks

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SHUFFLE = ["Nf3", "Nf6", "Ng1", "Ng8"]


def names(pgn):
    """The moves as they are named."""
    line = main_line(pgn)
    return line and [ply.name for ply in line.plies]


def test_the_main_line_is_read_move_by_move():
    line = main_line('[White "Anna"]\n\n1. e4 {best} e5 (1... c5 2. Nf3) 2. Nf3! $1 Nc6 *')
    assert [ply.name for ply in line.plies] == ["1. e4", "1… e5", "2. Nf3", "2… Nc6"]
    assert line.start == START
    assert line.plies[0].fen == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert line.final == "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
    assert [(number, white.san, black.san) for number, white, black in line.moves] == [
        (1, "e4", "e5"),
        (2, "Nf3", "Nc6"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_empty_lines_among_moves_end_no_game(end):
    text = '[White "Anna"]\n\n% escaped\n[Black "Otto"]\n\n\n1. e4\n\ne5 {so\n\nto say}\n\n\n2. Nf3\n\n1-0'
    assert names(text.replace("\n", end)) == ["1. e4", "1… e5", "2. Nf3"]
    assert names(f'{text}\n\n[White "Maja"]\n\n1. d4 *'.replace("\n", end)) == ["1. e4", "1… e5", "2. Nf3"]


def test_a_game_may_end_with_white_and_begin_with_black():
    assert main_line("1. e4 e5 2. Nf3 1-0").moves[1][2] is None
    line = main_line('[FEN "8/8/8/8/8/2k5/7p/K7 b - - 0 40"]\n[SetUp "1"]\n\n40... h1=Q+ *')
    assert line.moves == [(40, None, line.plies[0])]
    assert line.plies[0].name == "40… h1=Q+"


@pytest.mark.parametrize(
    "pgn",
    [
        "",
        "no game",
        '[White "Anna"]\n\n*',
        "1. e4 e4 1-0",
        "1. e4 e5 2. Nf6 *",
        '[FEN "nonsense"]\n\n1. e4 *',
        '[Variant "Crazyhouse"]\n\n1. e4 *',
        '[Variant "nonsense"]\n\n1. e4 *',
        "1. e4 $" + "9" * 5000,
        "\x00",
    ],
)
def test_what_cannot_be_read_to_the_end_is_no_main_line(pgn):
    assert main_line(pgn) is None


def test_a_very_long_game_is_not_played_through():
    assert len(main_line(" ".join(SHUFFLE * (MAX_PLIES // 4))).plies) == MAX_PLIES
    assert main_line(" ".join(SHUFFLE * (MAX_PLIES // 4) + ["e4"])) is None


def test_a_position_is_told_by_its_ranks_and_its_pieces():
    fen = "3r2k1/8/4Q3/p7/8/8/1P4P1/6K1 b - - 0 33"
    assert ranks(fen) == [
        "   r  k ",
        "        ",
        "    Q   ",
        "p       ",
        "        ",
        "        ",
        " P    P ",
        "      K ",
    ]
    assert pieces(fen) == ("Kg1, Qe6, b2, g2", "Kg8, Rd8, a5")
    assert [len(rank) for rank in ranks(START)] == [8] * 8


def test_a_long_run_of_blanks_takes_no_longer_than_it_is():
    """Tried from each of its blanks, it would take days. A page shows what a file or a server brought."""
    blanks = " \t" * 1_000_000
    assert len(main_line(f"1. e4{blanks}e5 1-0\n").plies) == 2
    assert len(main_line(f"1. e4{blanks}\n{blanks}\n{blanks}\ne5 1-0\n").plies) == 2


def test_signs_of_evaluation_and_other_forms_of_a_result_are_no_moves() -> None:
    text = "1. e4+- e5 N 2. Nf3 ± TN Nc6 = 3. Bb5 +/- a6 □ D RR ½–½"
    line = main_line(text)
    assert line is not None
    assert [ply.san for ply in line.plies] == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]
