"""CSV as spreadsheets save it: one retyped sample for each thing that they do.

The people are invented. The layouts, separators, encodings and their byte order marks are those of “Save as”
in Excel (Polish, Danish and German Windows; “CSV”, “CSV UTF-8” and “Unicode text”) and of LibreOffice Calc.
Written for this project, under its licence.
"""

import csv
import io
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.csv_encoding import encoding_of
from ratings.formats.csv_rows import Row, Rows, hundredths_of, read_rows
from ratings.formats.games import COLUMNS, GameRow, read_games_csv
from ratings.formats.league import SquadRow, read_squads
from ratings.formats.problems import FileRefused, Problem

POLISH = ("Wiśniewska, Łucja", "Źrebak, Paweł", "Kamiński, Stanisław", "Żółć, Grażyna")
CZECH = ("Dvořák, Jiří", "Němcová, Růžena", "Čermák, Václav")
DANISH = ("Sørensen, Søren", "Ågård, Bjørn", "Kjær, Mette")
SPANISH = ("Peña, José", "Muñoz, Begoña", "Ibáñez, Íñigo")
GERMAN = ("Müller, Jörg", "Groß, Käthe")


def text(names: Sequence[str], separator: str = ";") -> str:
    rows = [("name", "born"), *((name, str(1990 + number)) for number, name in enumerate(names))]
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator).writerows(rows)
    return written.getvalue()


def read(data: bytes) -> tuple[list[Row | Problem], str]:
    rows = read_rows(io.BytesIO(data), required=("name", "born"))
    return list(rows), rows.read_as


def names(data: bytes) -> tuple[list[str], str]:
    rows, read_as = read(data)
    assert all(isinstance(row, Row) for row in rows), rows
    return [row.values["name"] for row in rows if isinstance(row, Row)], read_as


SAVED = {
    "Excel, Polish, CSV": (text(POLISH).encode("cp1250"), POLISH, "semicolon-separated, Windows-1250"),
    "Excel, Czech, CSV": (text(CZECH).encode("cp1250"), CZECH, "semicolon-separated, Windows-1250"),
    "Excel, Danish, CSV": (text(DANISH).encode("cp1252"), DANISH, "semicolon-separated, Windows-1252"),
    "Excel, Spanish, CSV": (text(SPANISH).encode("cp1252"), SPANISH, "semicolon-separated, Windows-1252"),
    "Excel, German, CSV": (text(GERMAN).encode("cp1252"), GERMAN, "semicolon-separated, Windows-1252"),
    "Excel, CSV UTF-8": (text(POLISH).encode("utf-8-sig"), POLISH, "semicolon-separated, UTF-8 with BOM"),
    "Excel, Unicode text": (text(POLISH, "\t").encode("utf-16"), POLISH, "tab-separated, UTF-16"),
    "UTF-16, the other way round": (
        b"\xfe\xff" + text(POLISH, "\t").encode("utf-16-be"),
        POLISH,
        "tab-separated, UTF-16",
    ),
    "LibreOffice, tabs": (text(POLISH, "\t").encode(), POLISH, "tab-separated, UTF-8"),
    "LibreOffice, commas": (text(POLISH, ",").encode(), POLISH, "comma-separated, UTF-8"),
    "sep=;": (b"sep=;\r\n" + text(POLISH).encode("cp1250"), POLISH, "semicolon-separated, Windows-1250"),
    "sep=, with BOM": (
        b"\xef\xbb\xbfSEP=,\r\n" + text(POLISH, ",").encode(),
        POLISH,
        "comma-separated, UTF-8 with BOM",
    ),
}


@pytest.mark.parametrize(("data", "people", "read_as"), SAVED.values(), ids=SAVED)
def test_what_spreadsheets_save_is_read_and_said_back(
    data: bytes, people: tuple[str, ...], read_as: str
) -> None:
    assert names(data) == (list(people), read_as)


def test_empty_columns_and_rows_are_left_out_and_said_with_their_lines() -> None:
    data = b"name;born;;;\r\nAnna Berg;1990;;;\r\n;;;;\r\nOtto Krog;1985;;;\r\n ; ;;;\r\n;;;;;;\r\n"
    rows, read_as = read(data)
    assert rows == [
        Row(2, {"name": "Anna Berg", "born": "1990"}),
        Row(4, {"name": "Otto Krog", "born": "1985"}),
    ]
    assert read_as == (
        "semicolon-separated, UTF-8; empty columns at the end ignored: 3; "
        "empty rows ignored: 3 (lines 3, 5, 6)"
    )


def test_a_value_beyond_the_columns_is_not_an_empty_column() -> None:
    rows, _read_as = read(b"name;born;;\nAnna Berg;1990;;x\nOtto Krog;1985\n")
    assert rows == [
        Problem(
            2,
            "4 of 2 fields, in the row that begins “Anna Berg;1990;;x”",
            {"name": "Anna Berg", "born": "1990"},
            beyond=("", "x"),
        ),
        Row(3, {"name": "Otto Krog", "born": "1985"}),
    ]


def test_a_row_that_was_cut_short_is_refused() -> None:
    rows, _read_as = read(b"name;born;;\nAnna Berg\n")
    assert rows == [Problem(2, "1 of 2 fields, in the row that begins “Anna Berg”", {"name": "Anna Berg"})]


def test_a_separator_line_with_another_character_refuses_the_file_in_words() -> None:
    with pytest.raises(FileRefused) as caught:
        read(b"sep=#\nname#born\n")
    assert str(caught.value) == "line 1: “#” isn’t a separator; use a comma, a semicolon or a tab"


def test_letters_and_accents_apart_are_put_together_and_said() -> None:
    found, read_as = names("name,born\nJose\u0301,1990\nAnna,1991\n".encode())
    assert found == ["Jos\u00e9", "Anna"]
    assert read_as == (
        "comma-separated, UTF-8; rows whose letters and accents were combined (Unicode NFC): 1 (line 2)"
    )


def test_a_word_that_two_encodings_read_otherwise_is_refused_and_not_guessed() -> None:
    """0xF5 is ő in Windows-1250 and õ in Windows-1252: a Hungarian Kőos or an Estonian Kõos."""
    data = b"name;born\nK\xf5os;1990\nM\xfcller;1991\nAnna;1992\n"
    rows, read_as = read(data)
    assert rows == [
        Problem(
            2,
            "name: “K\ufffdos” means one thing in Windows-1250 and another in Windows-1252; "
            "save the file as UTF-8",
            {"name": "K\ufffdos", "born": "1990"},
        ),
        Row(3, {"name": "Müller", "born": "1991"}),
        Row(4, {"name": "Anna", "born": "1992"}),
    ]
    assert read_as == "semicolon-separated, Windows-1250 or Windows-1252"


def test_a_file_of_utf_8_stays_so_where_one_row_is_not() -> None:
    rows, read_as = read("name;born\nŁucja;1990\n".encode() + b"M\xfcller;1991\n")
    assert rows == [
        Row(2, {"name": "Łucja", "born": "1990"}),
        Problem(
            3,
            "name: “M\ufffdller” is not UTF-8; save the file as UTF-8",
            {"name": "M\ufffdller", "born": "1991"},
        ),
    ]
    assert read_as == "semicolon-separated, UTF-8"


def test_another_encoding_is_not_taken_for_one_of_windows() -> None:
    """ISO 8859-2 has ą, ś and ź where the two have symbols; most of its other letters are those of 1250."""
    rows, _read_as = read("name;born\nKąkol, Jaś;1990\nPaweł;1991\nAnna;1992\n".encode("iso-8859-2"))
    assert [type(row) for row in rows] == [Problem, Problem, Row]


@pytest.mark.parametrize(
    ("name", "letters"),
    [("Windows-1250", POLISH), ("Windows-1250", CZECH), ("Windows-1252", DANISH), ("Windows-1252", SPANISH)],
)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_one_name_in_a_long_file_is_enough(name: str, letters: tuple[str, ...], which: int) -> None:
    plain = "".join(f"Player {number};1990\n" for number in range(30_000))
    data = f"name;born\n{plain}{letters[which]};1990\n".encode(name.replace("Windows-", "cp"))
    assert encoding_of(io.BytesIO(data)).name == name


ALONE = {
    "cp1250": (
        "Łucja",
        "Petrović",
        "Kovač",
        "Jiří",
        "Němec",
        "Bădescu",
        "Đorđević",
        "Horváth Gergő",
        "Kučera",
    ),
    "cp1252": ("Møller", "Peña", "João", "Simões", "Åse", "Hélène", "Niccolò", "Þór", "Kjær", "José Muñoz"),
}


@pytest.mark.parametrize(("encoding", "name"), [(one, name) for one in ALONE for name in ALONE[one]])
def test_a_name_that_is_one_in_one_encoding_only_tells_it(encoding: str, name: str) -> None:
    found, read_as = names(f"name;born\n{name};1990\n".encode(encoding))
    assert (found, read_as) == ([name], f"semicolon-separated, Windows-{encoding[2:]}")


def test_a_half_character_at_the_end_of_utf_16_costs_its_row() -> None:
    rows, _read_as = read("name,born\nAnna,1990\nOtto,1985".encode("utf-16")[:-1])
    assert rows == [
        Row(2, {"name": "Anna", "born": "1990"}),
        Problem(
            3,
            "born: “198\ufffd” is not UTF-16; save the file as UTF-8",
            {"name": "Otto", "born": "198\ufffd"},
        ),
    ]


def test_decimal_commas_and_yes_and_no_of_a_squad() -> None:
    data = b"name;team;rating;games;captains_estimate\nAdams;North;1600,5;30;no\n"
    assert list(read_squads(io.BytesIO(data))) == [
        SquadRow(2, "Adams", "North", 1600_50, 30, captains_estimate=False)
    ]


@pytest.mark.parametrize(
    ("number", "hundredths"),
    [
        ("1799.60", 1799_60),
        ("1799,6", 1799_60),
        ("1800", 1800_00),
        ("-12,40", -12_40),
        ("+0.05", 5),
        ("-0.05", -5),
    ],
)
def test_numbers_with_a_point_or_a_comma(number: str, hundredths: int) -> None:
    assert hundredths_of(number) == hundredths


@pytest.mark.parametrize(
    "number", ["", "1e3", "1E3", "1,800", "1.800", "1_800", "NaN", "inf", "0x7d0", "١٨٠٠", "1.", ".5"]
)
def test_what_only_python_takes_for_a_number_is_none(number: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(number)}$"):
        hundredths_of(number)


_BLANKS = " \x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0"
LINES = [
    f"arena/{n},anna{n},bob,180+2,yes,½-½,agreement,2026-03-01T10:00:00Z,2026-03-01T10:05:00Z"
    for n in range(6)
]


@given(
    st.lists(st.tuples(st.integers(0, 700), st.binary(max_size=3)), max_size=4),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)
def test_every_row_of_a_mutated_file_is_a_game_or_is_said_with_its_line(
    changes: list[tuple[int, bytes]], encoding: str
) -> None:
    header = ",".join(COLUMNS)
    data = ("\r\n".join([header, *LINES]) + "\r\n").encode(encoding)
    start = len((header + "\r\n").encode(encoding))
    body = bytearray(data[start:])
    for place, piece in changes:
        place %= len(body)
        body[place : place + 1] = piece
    rows: Rows[GameRow] = read_games_csv(io.BytesIO(data[:start] + bytes(body)))
    try:
        found = list(rows)
    except FileRefused:
        return
    told = {row.line for row in found} | set(rows._empty_rows.first)
    for row in found:
        if isinstance(row, Problem) and " were read as one row" in row.reason:
            first, _to, last = row.reason.rpartition("lines ")[2].split()[:3]
            told |= set(range(int(first), int(last) + 1))
        # Whoever is read is who played: nobody's name is changed in silence.
        if isinstance(row, GameRow) and not changes:
            assert (row.white, row.result) == (f"anna{row.line - 2}", "1/2-1/2")
    text_of = "utf-16" if encoding == "utf-16" else "latin-1"
    lines = (data[:start] + bytes(body)).decode(text_of, "replace").replace("\r\n", "\n").replace("\r", "\n")
    # Lines of blanks alone, such as str.isspace() knows them, are no rows.
    there = {line for line, row in enumerate(lines.split("\n"), 1) if line > 1 and row.strip(_BLANKS)}
    assert there - told == set()
