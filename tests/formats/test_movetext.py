"""The moves of a PGN game: what is played, what is passed over, what is refused, how much time was used."""

import re
from datetime import timedelta

import chess
import pytest

from ratings.formats.movetext import Noted, Played, after_line, play
from ratings.rules.time_controls import Control


def test_moves_result_and_clocks_are_told() -> None:
    played = play("1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:59.5]} 2. d4 {[%eval 0.2] [%clk 1:02:30]} 1/2-1/2")
    assert played == Played(
        plies=3,
        result="1/2-1/2",
        noted=Noted(
            clocks={
                chess.WHITE: [(1, timedelta(minutes=3)), (2, timedelta(hours=1, minutes=2, seconds=30))],
                chess.BLACK: [(1, timedelta(minutes=2, seconds=59.5))],
            },
        ),
    )


def test_comments_variations_glyphs_and_numbers_are_no_moves() -> None:
    played = play(
        "1.e4! $10 (1. d4 {no)} d5 (1... Nf6 *)) 1... e5?! ; a bracket { ( in a comment\n"
        "2 Nf3 {[b] \n ; c} {} Nc6 3 ... 3... *"
    )
    assert (played.plies, played.result) == (4, "*")


def test_castling_promotion_check_and_mate_are_read() -> None:
    moves = (
        "1. e4 d5 2. exd5 c6 3. dxc6 Nf6 4. cxb7 e5 5. bxa8=Q Be7 6. Nf3 O-O 7. Be2 Re8 8. 0-0 Bb4 "
        "9. Qxb8 Bf8 10. Ng5 h6 11. Nxf7 Kxf7 12. Bc4+ Be6 13. Qxd8 Bxc4 14. Qxe8+ Kg8 15. Qxf8+ Kh7 1-0"
    )
    assert play(moves).plies == 30
    assert play("1. f3 e5 2. g4 Qh4# 0-1").plies == 4


@pytest.mark.parametrize(
    "capture",
    [
        *(
            "exd6ep",
            "exd6e.p.",
            "exd6e.p",
            "exd6EP",
            "exd6 ep",
            "exd6 e.p.",
            "exd6 e. p.",
            "exd6(ep)",
            "ed6ep",
        ),
        *("exd6e.p.!", "exd6ep?! {so}", "exd6ep+-", "exd6epN", "exd6+ e.p.", "e5xd6ep", "exd6ep $1"),
    ],
)
def test_en_passant_may_be_noted_with_the_move(capture: str) -> None:
    played = play(f"1. e4 a6 2. e5 d5 3. {capture} exd6 4. d4 1-0")
    assert (played.moves[4], played.plies) == ("e5d6", 7)


@pytest.mark.parametrize("sign", ["+", " +", "†", "ch", " ch", "ch.", "++"])
def test_check_may_be_noted_in_any_way(sign: str) -> None:
    assert play(f"1. e4 d5 2. Bb5{sign} c6 1-0").moves == ["e2e4", "d7d5", "f1b5", "c7c6"]


@pytest.mark.parametrize("sign", ["#", "++", "+#", "‡", "mate", " mate", "#mate", "# mate"])
def test_mate_may_be_noted_in_any_way(sign: str) -> None:
    assert play(f"1. f3 e5 2. g4 Qh4{sign} 0-1").moves[-1] == "d8h4"


def test_a_rook_of_the_c_file_may_go_to_the_h_file() -> None:
    assert play("1. c4 h5 2. Nc3 Rh6 3. b3 Rc6 4. a3 Rh6 5. a4 Rc6 6. a5 a6 7. Ra4 Rch6 *").plies == 14


def test_text_that_breaks_off_has_no_result() -> None:
    assert play("1. e4 e5") == Played(plies=2)
    assert play("") == Played()


@pytest.mark.parametrize(
    ("moves", "fault"),
    [
        ("1. e4 e5 2. Ke3 1-0", "move 2 of White, “Ke3”, is illegal or ambiguous"),
        ("1. e4 Ke6 1-0", "move 1 of Black, “Ke6”, is illegal or ambiguous"),
        ("1. e4 0000 1-0", "move 1 of Black, “0000”, is illegal or ambiguous"),
        ("1. Nf3 a6 2. d3 a5 3. Nd2 1-0", "move 3 of White, “Nd2”, is illegal or ambiguous"),
        ("1. e4 -- 1-0", "the moves contain “--”, which isn’t a move"),
        ("1. e4 Z0 1-0", "the moves contain “Z0”, which isn’t a move"),
        ("1. e4 nonsense 1-0", "the moves contain “nonsense”, which isn’t a move"),
        ("1. e4 1-0.", "the moves contain “1-0.”, which isn’t a move"),
        ("1. e4 { e5 1-0", "the moves contain “{”, which isn’t a move"),
        ("1. e4 e5 1-0 2. d4", "“d4” comes after the result 1-0"),
        ("1. e4 e5 1-0 0-1", "“0-1” comes after the result 1-0"),
        ("1. e4 e5) 1-0", "a variation is closed that was never opened"),
        ("1. e4 (1. d4 e5 1-0", "a variation is opened and never closed"),
    ],
)
def test_moves_that_cannot_be_played_through_are_refused(moves: str, fault: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}$"):
        play(moves)


@pytest.mark.parametrize(
    ("moves", "seconds"),
    [
        # 180 + 2×2 − 150 = 34 by White, 180 + 2×1 − 175.5 = 6.5 by Black.
        ("1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:55.5]} 2. d4 {[%clk 0:02:30]}", 40.5),
        # Only White's clock is known: 180 + 2×1 − 170.
        ("1. e4 {[%clk 0:02:50]} e5", 12),
        # The last clock stood before the last move: what came after is not known.
        ("1. e4 {[%clk 0:02:50]} e5 2. d4 d5 3. c4", 12),
        # Clocks in variations, and before the first move, are nobody's.
        ("{[%clk 0:01:00]} 1. e4 e5 (1... c5 {[%clk 0:01:00]})", 0),
        ("1. e4 {[%clk 0:02]} {[%clk -0:00:01]} {clk 0:00:01}", 0),
    ],
)
def test_time_used_is_initial_time_and_increments_less_the_last_clock(moves: str, seconds: float) -> None:
    played = play(moves)
    assert played.noted.time_used(Control(180, 2), played.plies) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("1. e4 {so}", False, (False, False)),
        ("1. e4 {so", False, (True, False)),
        ("so} {again", True, (True, None)),
        ("so} e5 ; a remark {", True, (False, False)),
        ("so ; no remark", True, (True, None)),
        ("} ;", True, (False, None)),
        ("1. e4 }", False, (False, False)),
        ("{ { }", False, (False, None)),
        ("{", False, (True, None)),
        ("", True, (True, None)),
        ("", False, (False, None)),
        ("1-0", False, (False, True)),
        ("2. Nf3 {1-0} *", False, (False, True)),
        ("1/2-1/2 {agreed", False, (True, True)),
        ("0-1 {so} ; it ends", False, (False, True)),
        ("2. Nf3 {1-0}", False, (False, False)),
        ("2. Nf3 ; 1-0", False, (False, False)),
        ("11/2-1/2", False, (False, False)),
        ("1-0", True, (True, None)),
    ],
)
def test_after_a_line_a_comment_is_open_or_the_game_is_over(
    line: str, before: bool, after: tuple[bool, bool | None]
) -> None:
    assert after_line(line, before) == after


@pytest.mark.parametrize(
    "aside",
    [
        "1... -- 2. d4",
        "1... Z0",
        "1... 0000",
        "1... null",
        "1... @@@@",
        "1... Ke6 +/- \u221e N D [#]",
        "}",
        "½-½ *",
    ],
)
def test_whatever_stands_in_a_variation_is_passed_over(aside: str) -> None:
    """Issue 16: 0.5.0 refused the game for a null move in a variation."""
    assert play(f"1. e4 ({aside} ({aside})) e5 1-0").plies == 2


@pytest.mark.parametrize(
    "sign",
    [
        *("+-", "-+", "+/-", "-/+", "+=", "=+", "+/=", "=/+", "=", "=/∞", "+−", "−+", "+--", "--+"),
        *"±∓⩲⩱∞⯹□⌓⨀⟳↑→⇆⊕∆△Δ⊥⟂∥⌊✕‼⁇⁉⁈",
        *("N", "TN", "RR", "D", "+", "++", "#", "$14", "!?", "⩲ N $1"),
    ],
)
def test_signs_of_evaluation_are_no_moves(sign: str) -> None:
    """Those of the Informant and of ChessBase, behind each move and before the result."""
    played = play(f"1. e4 {sign} e5 {sign} {{equal}} 2. Nf3 {sign} (2. f4 {sign}) 2... Nc6 {sign} 1/2-1/2")
    assert (played.moves, played.result) == (["e2e4", "e7e5", "g1f3", "b8c6"], "1/2-1/2")


@pytest.mark.parametrize("sign", ["+-", "-+", "+/-", "=", "=+", "±", "∞", "□", "!?", "+", "#"])
def test_a_sign_may_follow_its_move_without_a_space(sign: str) -> None:
    moves = f"1. e4{sign} d5 2. exd5{sign} c6 3. dxc6{sign} Nf6 4. cxb7 Be6 5. bxa8=Q{sign} 1-0"
    assert play(moves).plies == 9


@pytest.mark.parametrize("text", ["--", "=-", "NN", "DD", "T"])
def test_what_is_neither_a_sign_nor_a_move_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(the moves contain|move 1 of Black)"):
        play(f"1. e4 {text} e5 1-0")
