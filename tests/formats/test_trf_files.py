"""Files that are no reports, or far too large: refused at once, never an exception of another kind."""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ratings.formats.problems import FileRefused
from ratings.formats.trf import Pairing, Player, Record, Result, Tournament, read_trf, trf_lines
from ratings.formats.trf.reading import MAX_BYTES, MAX_LINES
from tests.formats.trf_text import SWISS, problems, read, refusal, tournament

PIECES = [
    "001 ",
    "001    1",
    "001    2 m FM Krog, Ole",
    "   2 w 1  ",
    "0000 - H",
    "012 ",
    "042 ",
    "052 ",
    "132 ",
    "162 W",
    "XXS W=",
    "299 ",
    "013 ",
    "310 ",
    "260 ",
    "NOR ",
    "### ",
    "2026/01/02",
    "1.5",
    " ",
    " " * 33,
    "\t",
    "\x00",
    "\x1a",
    "\ufffd",
    "é",
    "9" * 5000,
    "\n",
    "\n",
    "\r",
    "½",
    "²",
    "١",
    "1/2",
]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\r", b"   ", b"\t\r\n "])
def test_an_empty_file_is_refused(data: bytes) -> None:
    assert refusal(data) == "line 1: the file is empty; it must be a tournament report (TRF)"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"PK\x03\x04rest", "a ZIP archive or a spreadsheet workbook"),
        (b"%PDF-1.4", "a PDF document"),
        ("012 Fjord Open".encode("utf-16"), "UTF-16 text (save it as UTF-8)"),
        (SWISS.encode() + b"\x00", "a binary file (it contains NUL bytes)"),
        (b"<html>", "XML or HTML"),
    ],
)
def test_another_kind_of_file_is_named(data: bytes, kind: str) -> None:
    assert refusal(data) == f"line 1: this is {kind}, not a tournament report (TRF)"


@pytest.mark.parametrize("text", ["012 Fjord Open\n", "just a letter\n", "\ufeff"])
def test_a_file_without_a_player_is_no_report(text: str) -> None:
    assert refusal(text.encode()) == ("line 1: no players (record 001); it must be a tournament report (TRF)")


def test_a_file_with_players_that_cannot_be_read_has_problems() -> None:
    assert "line 1: start rank: “x” isn’t a number from 1 to 9999" in problems("001    x\n")


def test_too_many_bytes_and_too_many_lines_are_refused() -> None:
    assert "more than 8,388,608 bytes" in refusal(SWISS.encode() + b"#" * MAX_BYTES)
    assert refusal(b"\r" * MAX_LINES + SWISS.encode()) == (
        "line 30001: a tournament report has at most 30,000 lines"
    )


@given(st.binary())
@example(b"001    1\xff")
def test_random_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        reading = read_trf(io.BytesIO(data))
    except FileRefused:
        return
    assert (reading.tournament is None) == bool(reading.problems)


@given(
    st.sampled_from(["", "012 Any\n042 2026/01/02\n001    1\n"]),
    st.lists(st.sampled_from(PIECES)).map("".join),
)
def test_any_pieces_of_reports_are_read_or_refused(begin: str, text: str) -> None:
    try:
        reading = read(begin + text)
    except FileRefused:
        return
    assert (reading.tournament is None) == bool(reading.problems)
    if reading.tournament is not None:
        assert tournament(b"".join(trf_lines(reading.tournament))) == reading.tournament


@pytest.mark.parametrize(
    "line",
    [
        "001    2" + " " * 83 + "   1 b 0  " * 100_000,
        "132 " + "26/01/02  " * 400_000,
        "042 " + "a" * 4_000_000,
        "042 " + "1 " * 2_000_000,
        "162 " + "W " * 2_000_000,
        "260 " + "1 " * 2_000_000,
        "NOR " + "9" * 4_000_000,
    ],
    ids=lambda line: line[:4],
)
def test_an_endless_line_is_done_with(line: str) -> None:
    assert read("001    1\n" + line).problems


def test_more_than_200_rounds_are_refused() -> None:
    assert "line 19: more than 200 rounds" in problems(SWISS[:-1] + "   1 b 0  " * 200)


def large(players: int, rounds: int) -> bytes:
    """A round robin of pairs: in every round each meets the same neighbour."""
    pairings = (tuple(Pairing(2, "w", Result.WIN) for _ in range(rounds)),)
    value = Tournament(
        (Record(0, "012", "Great Open"), Record(0, "042", "2026/01/02"), Record(0, "052", "2026/01/12")),
        tuple(
            Player(
                0, number, "m", "", f"Player, {number}", 1500 + number % 1000, "NOR", 1_000_000 + number, "",
                "1990/01/01", 10 * rounds * (number % 2), number,
                tuple(
                    pairing._replace(
                        opponent=number + 1 if number % 2 else number - 1,
                        colour="w" if number % 2 else "b",
                        result=Result.WIN if number % 2 else Result.LOSS,
                    )
                    for pairing in pairings[0]
                ),
            )
            for number in range(1, players + 1)
        ),
    )  # fmt: skip
    return b"".join(trf_lines(value))


def test_9998_players_in_11_rounds_are_read() -> None:
    data = large(9998, 11)
    assert len(tournament(data).players) == 9998


def test_a_10000th_player_has_no_room_for_his_number() -> None:
    lines = large(9998, 1).splitlines(keepends=True)
    for number in (b"9999", b"10000"):
        lines.append(b"001 " + number + b" m    Late, Too\r\n")
    assert [problem[:44] for problem in problems(b"".join(lines))] == [
        "line 10003: the columns are shifted: “0” in "
    ]


def test_every_contradiction_of_10000_players_is_said() -> None:
    data = large(9998, 11).replace(b" b 0", b" b -")
    reading = read(data)
    assert reading.tournament is None
    assert len(reading.problems) == 11 * 4999
