"""FIDE rating lists as TXT: every layout since 2001 to the character, and no row read that is shifted."""

import re
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.frl import FideControl, FideRating, PlayerRow
from ratings.formats.frl.layouts import COMBINED, COMBINED_HEADER, SINGLE, SINGLE_HEADER
from ratings.formats.problems import FileRefused, Problem, Remark
from tests.formats.frl_text import (
    BERG,
    COMBINED_TXT,
    KROG,
    TXT_LISTS,
    player,
    problems,
    read,
    refusal,
    remarks,
)

STANDARD = FideControl.STANDARD
HEADER, BERG_LINE, KROG_LINE = COMBINED_TXT.splitlines(keepends=True)


def control_of(layout: str) -> FideControl | None:
    return None if layout.startswith("combined") else STANDARD


def changed(start: int, text: str, line: str = BERG_LINE) -> str:
    """A combined list of one row, with another text from a character on, counted from 0."""
    return f"{HEADER}{line[:start]}{text}{line[start + len(text) :]}"


@pytest.mark.parametrize(
    ("layout", "header", "labels"),
    [
        (
            COMBINED,
            COMBINED_HEADER,
            "ID Number,Name,Fed,Sex,Tit,WTit,OTit,FOA,SRtng,SGm,SK,RRtng,RGm,Rk,BRtng,BGm,BK,B-day,Flag",
        ),
        (SINGLE, SINGLE_HEADER % "OCT26", "ID Number,Name,Fed,Sex,Tit,WTit,OTit,FOA,OCT26,Gms,K,B-day,Flag"),
    ],
)
def test_columns_of_today_are_where_the_header_has_them(layout, header, labels) -> None:
    spans = [match.span() for match in re.finditer(r"ID Number +|\S+ *", header)]
    assert [(column.start, column.end) for column in layout.columns] == spans
    assert [header[start:end].rstrip() for start, end in spans] == labels.split(",")


def test_combined_list_is_read_to_the_last_column() -> None:
    assert read(COMBINED_TXT) == [BERG, KROG]


def test_combined_list_without_foa_titles_and_with_blanks_for_unrated() -> None:
    assert read(TXT_LISTS["combined without FOA"]) == [BERG._replace(arena_title=""), KROG]


@pytest.mark.parametrize("control", FideControl)
def test_list_of_one_control_fills_that_control_only(control: FideControl) -> None:
    others = dict.fromkeys(set(FideControl) - {control})
    assert read(TXT_LISTS["single"], control) == [
        BERG._replace(**{control: FideRating(2235, 9, 20), **others}),
        KROG._replace(**{control: FideRating(1709, 0, 40), **others}),
    ]


def test_list_of_2012_to_2015_has_no_foa_titles() -> None:
    berg, krog = read(TXT_LISTS["2012 to 2015"], STANDARD)
    assert berg == BERG._replace(arena_title="", rapid=None, blitz=None)
    assert krog == KROG._replace(rapid=None, blitz=None)


@pytest.mark.parametrize(("layout", "line"), [("2005 to 2012", 2), ("2002 to 2005", 2), ("2001", 3)])
def test_older_lists_know_women_by_their_flag_titles_by_a_letter_and_no_k(layout: str, line: int) -> None:
    old = {"women_title": "", "other_titles": "", "arena_title": "", "rapid": None, "blitz": None}
    year = None if layout == "2001" else 1971
    assert read(TXT_LISTS[layout], STANDARD) == [
        BERG._replace(line=line, standard=FideRating(2235, 9, 0), birth_year=year, **old),
        KROG._replace(line=line + 1, sex="", standard=FideRating(1709, 0, 0), **old),
    ]


@pytest.mark.parametrize(
    ("letters", "title"),
    [("g ", "GM"), ("m ", "IM"), ("f ", "FM"), ("c ", "CM"), ("wm", "WIM"), ("wf", "WFM"), ("wc", "WCM")],
)
def test_old_titles_become_those_of_today(letters: str, title: str) -> None:
    header, row, _ = TXT_LISTS["2005 to 2012"].splitlines(keepends=True)
    assert player(header + row.replace("wg", letters), STANDARD).title == title


@pytest.mark.parametrize("header", ["July06GamesBorn", "Sep09 Games Born"])
def test_older_headers_need_not_stand_above_their_columns(header: str) -> None:
    data = TXT_LISTS["2005 to 2012"].replace("Mar11 GamesBorn", header)
    assert len([row for row in read(data, STANDARD) if isinstance(row, PlayerRow)]) == 2


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"Sk\x9bien, H\x86vard", "Skøien, Håvard"),  # CP850
        (b"Garc\xa1a, Jos\x82", "García, José"),  # CP850, letters where Latin-1 has signs
        (b"Pe\xa4a, Tom\xa0s", "Peña, Tomás"),  # CP850; in Latin-1 a no-break space
        (b"Va\xf1o, Aim\xe9", "Vaño, Aimé"),  # Latin-1
        (b"Gr\xfcn, Bj\xf6rn", "Grün, Björn"),  # Latin-1
    ],
)
def test_old_lists_mix_two_encodings_row_by_row(raw: bytes, name: str) -> None:
    header, row, *_ = TXT_LISTS["2002 to 2005"].encode().splitlines(keepends=True)
    assert player(header + row[:10] + raw.ljust(34) + row[44:], STANDARD).name == name


@pytest.mark.parametrize(
    ("birth", "year"),
    [("17.01.10", 1910), ("  .  .99", 1999), (" 1. 1.67", 1967), ("  .  .  ", None)],
)
def test_birthday_gives_the_year_unless_the_century_is_open(birth: str, year: int | None) -> None:
    header, row, *_ = TXT_LISTS["2002 to 2005"].splitlines(keepends=True)
    assert player(header + row.replace("17.01.71", birth), STANDARD).birth_year == year


@pytest.mark.parametrize(("birth", "written"), [("01.01.09", "01.01.09"), ("  .  .00", ".  .00")])
def test_a_birthday_whose_century_is_open_is_said(birth: str, written: str) -> None:
    header, row, *_ = TXT_LISTS["2002 to 2005"].splitlines(keepends=True)
    (told,) = remarks(header + row.replace("17.01.71", birth), control=STANDARD)
    assert f"birth: “{written}” may be of 19{birth[-2:]} or of 20{birth[-2:]}; left blank" in told


@pytest.mark.parametrize("birth", ["00.00.00", "  .  .  "])
def test_of_an_unknown_birthday_nothing_is_said(birth: str) -> None:
    header, row, *_ = TXT_LISTS["2002 to 2005"].splitlines(keepends=True)
    assert remarks(header + row.replace("17.01.71", birth), control=STANDARD) == []


@pytest.mark.parametrize("birth", ["0     ", "0000  ", "      "])
def test_unknown_year_of_birth_is_nought_noughts_or_blank(birth: str) -> None:
    assert player(changed(152, birth)).birth_year is None


@pytest.mark.parametrize(
    "name",
    ["", ", Anna", "Ni", "Berg, Daniel 1991", "Arico`, Otto", "Nakul (A) Preet", "'t Jong, Ewoud", "A.-2"],
)
def test_names_are_taken_as_they_are(name: str) -> None:
    assert player(changed(15, name.ljust(61))).name == name


@pytest.mark.parametrize("digits", ["1", "999999999", "0000012"])
def test_fide_id_has_one_to_nine_digits(digits: str) -> None:
    assert player(changed(0, digits.ljust(15))).fide_id == int(digits)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_a_line_end(end: str) -> None:
    assert read(COMBINED_TXT.replace("\r\n", end)) == [BERG, KROG]


def test_last_row_may_lack_its_line_end_if_it_is_whole() -> None:
    assert read(COMBINED_TXT.removesuffix("\r\n")) == [BERG, KROG]


def test_blanks_cut_off_at_the_end_of_a_row_are_not_missed() -> None:
    cut = "\n".join(line.rstrip() for line in COMBINED_TXT.splitlines()) + "\n"
    assert read(cut) == [BERG, KROG]


def test_blank_lines_and_byte_order_mark_are_passed_over_and_counted() -> None:
    data = b"\xef\xbb\xbf\r\n" + f"{HEADER}\r\n   \r\n{BERG_LINE}".encode()
    assert read(data) == [BERG._replace(line=5)]


@pytest.mark.parametrize("layout", TXT_LISTS)
@given(st.integers(1, 400))
def test_size_of_blocks_does_not_matter(layout: str, step: int) -> None:
    data, control = TXT_LISTS[layout], control_of(layout)
    assert read(data, control, step) == read(data, control)


ODD_LINES = (
    BERG_LINE,
    KROG_LINE,
    KROG_LINE.rstrip() + "\n",
    BERG_LINE.replace("Anna", "\xc5nna"),
    BERG_LINE.replace("Anna", "An\tna"),
    BERG_LINE.replace("30012345", "3_012345"),
    BERG_LINE.replace("30012345", "30 12345"),
    BERG_LINE.replace("30012345", "0       "),
    BERG_LINE.replace("NOR", "nor"),
    KROG_LINE.replace("1709", "9999"),
    BERG_LINE.replace("F   WGM", "WGM"),
    f" {KROG_LINE}",
    "499 Krog\r\n",
    "\r\n",
    " \n",
    f"{' ' * 155}\n",
    f"{' ' * 162}\n",
    f"{' ' * 200}\n",
)


@given(st.lists(st.sampled_from(ODD_LINES), max_size=8))
def test_what_is_read_of_a_row_does_not_depend_on_those_around_it(lines: list[str]) -> None:
    alone = [(number, row) for number, line in enumerate(lines, 2) for row in read(HEADER + line)]
    assert read(HEADER + "".join(lines)) == [
        row._replace(line=number) if isinstance(row, PlayerRow) else replace(row, line=number)
        for number, row in alone
    ]


def said_or_the_same(layout: str, line: int, row: PlayerRow, mutated: str) -> None:
    """The row is left out or remarked on, or nothing of it differs; its figures never do."""
    lines = TXT_LISTS[layout].splitlines(keepends=True)
    lines[line - 1] = mutated
    found = [one for one in read("".join(lines), control_of(layout)) if one.line == line]
    taken = [one for one in found if isinstance(one, PlayerRow)]
    assert found, mutated
    for one in taken:
        assert (one.fide_id, one.standard, one.rapid, one.blitz) == (
            row.fide_id,
            row.standard,
            row.rapid,
            row.blitz,
        ), mutated
        assert len(found) > 1 or one == row, mutated


@pytest.mark.parametrize("layout", TXT_LISTS)
def test_row_that_lost_a_character_never_gives_other_figures_nor_anything_else_unsaid(layout: str) -> None:
    for row in read(TXT_LISTS[layout], control_of(layout)):
        line = TXT_LISTS[layout].splitlines(keepends=True)[row.line - 1]
        # Nothing follows the flag that it could shift.
        for place in range(line.rstrip().rindex(row.flag)):
            said_or_the_same(layout, row.line, row, line[:place] + line[place + 1 :])


@pytest.mark.parametrize("layout", TXT_LISTS)
def test_row_that_won_a_character_never_gives_other_figures_nor_anything_else_unsaid(layout: str) -> None:
    for row in read(TXT_LISTS[layout], control_of(layout)):
        line = TXT_LISTS[layout].splitlines(keepends=True)[row.line - 1]
        for place in range(len(line) - 2):
            said_or_the_same(layout, row.line, row, f"{line[:place]} {line[place:]}")


@pytest.mark.parametrize("end", ["w   \r\n", "w\r\n"])
def test_other_titles_that_are_a_character_too_long_are_left_blank_and_the_player_stays(end: str) -> None:
    # FIDE's combined list of October 2026 has “SI,FI,LSI,SLI,NA” so, in 16 of 15 characters.
    row = BERG_LINE.replace("IA,FST,IO      AGM", "SI,FI,LSI,SLI,NAAFM").replace("w   \r\n", end)
    assert read(HEADER + row + KROG_LINE) == [
        BERG._replace(other_titles="", arena_title="AFM"),
        Remark(
            2,
            "other titles: “SI,FI,LSI,SLI,NA” is 1 character too long; left blank",
            "Berg, Anna Maria, 30012345",
        ),
        KROG,
    ]


def test_other_titles_that_are_too_long_are_left_blank_in_a_list_of_2013() -> None:
    header, berg, krog = TXT_LISTS["2012 to 2015"].splitlines(keepends=True)
    row = berg.replace("IA,FST,IO      2235", "LSI,FI,SI,SLI,NA2235")
    taken, remark, _ = read(header + row + krog, STANDARD)
    assert taken == BERG._replace(other_titles="", arena_title="", rapid=None, blitz=None)
    assert remark.text == "other titles: “LSI,FI,SI,SLI,NA” is 1 character too long; left blank"


def test_a_row_too_long_for_another_reason_is_left_out() -> None:
    row = BERG_LINE.replace("F   WGM", "F    WGM")
    assert problems(HEADER + row + KROG_LINE) == [
        "line 2: more than 162 characters, so a value is shifted: “30012345 Berg, Anna Maria NOR F WGM WGM…”"
    ]


def test_what_follows_the_last_column_is_left_out_with_a_remark() -> None:
    row = BERG_LINE.replace("w   \r\n", "w   new\r\n")
    assert remarks(HEADER + row) == [
        "line 2: “new” after the last column; left out (Berg, Anna Maria, 30012345)"
    ]
    assert read(HEADER + row)[0] == BERG


def test_row_that_is_too_short_is_reported() -> None:
    assert problems(f"{HEADER}{BERG_LINE[:151]}\r\n{KROG_LINE}") == [
        "line 2: 151 characters, fewer than 152: “30012345 Berg, Anna Maria NOR F WGM WGM…”"
    ]


def test_blanks_at_the_end_of_the_file_are_no_row_that_breaks_off() -> None:
    assert read(COMBINED_TXT + "  ") == [BERG, KROG]


@pytest.mark.parametrize("name", TXT_LISTS)
def test_file_may_break_off_anywhere(name: str) -> None:
    text = TXT_LISTS[name]
    for length in range(len(text)):
        with suppress(FileRefused):
            read(text[:length])


def test_file_that_breaks_off_within_a_row_is_refused() -> None:
    assert refusal(COMBINED_TXT[:-30]) == (
        "line 3: the file ends in the middle of the row “499 Krog NON M 1709 0 40 0 0”; download it again"
    )


@pytest.mark.parametrize(
    ("start", "text", "reason"),
    [
        (0, "0  ", "FIDE ID: “0  12345” isn’t a number of 1 to 9 digits"),
        (0, "3_0", "FIDE ID: “3_012345” isn’t a number of 1 to 9 digits"),
        (0, "1234567890", "FIDE ID: “1234567890” isn’t a number of 1 to 9 digits"),
        (0, "0       ", "FIDE ID: “0” isn’t a number of 1 to 9 digits"),
        (113, "9999", "standard rating: 9999 is above 3500"),
        (113, "99  ", "standard rating: 99 is below 100"),
        (126, "21,5", "rapid rating: “21,5” isn’t a number"),
        (126, "-191", "rapid rating: “-191” isn’t a number"),
        (132, "9999", "rapid games: 9999 is above 999"),
        (149, "41", "blitz K: 41 is above 40"),
    ],
)
def test_row_is_left_out_for_a_value_that_decides_ratings(start: int, text: str, reason: str) -> None:
    assert problems(changed(start, text) + KROG_LINE) == [f"line 2: {reason}"]


@pytest.mark.parametrize(
    ("start", "text", "field", "remark"),
    [
        (76, "*  ", "federation", "federation: “*” isn’t three capital letters"),
        (76, "Nor", "federation", "federation: “Nor” isn’t three capital letters"),
        (76, " NO", "federation", "federation: “ NO ” is shifted: it doesn’t start at character 77"),
        (80, "W", "sex", "sex: “W” is neither M nor F"),
        (84, "W1M", "title", "title: “W1M” isn’t a title"),
        (94, ",IO      ", "other_titles", "other titles: “,IO” isn’t a list of titles"),
        (94, "1A", "other_titles", "other titles: “1A,FST,IO” isn’t a list of titles"),
        (109, "A-M", "arena_title", "arena title: “A-M” isn’t a title"),
        (152, "1792", "birth_year", "birth: 1792 is before 1850"),
        (152, "2100", "birth_year", "birth: 2100 is above 2099"),
        (152, "x", "birth_year", "birth: “x971” isn’t a number"),
        (158, "x", "flag", "flag: “x” isn’t one of i, w, wi"),
    ],
)
def test_any_other_value_that_cannot_be_is_left_blank_with_a_remark_and_the_player_stays(
    start: int, text: str, field: str, remark: str
) -> None:
    blank = None if field == "birth_year" else ""
    assert read(changed(start, text) + KROG_LINE) == [
        BERG._replace(**{field: blank}),
        Remark(2, f"{remark}; left blank", "Berg, Anna Maria, 30012345"),
        KROG,
    ]


def test_a_character_of_a_name_that_cannot_be_becomes_a_question_mark() -> None:
    assert read(changed(15, "Berg\x07 Anna")) == [
        BERG._replace(name="Berg? Anna Maria"),
        Remark(
            2,
            "name: the character U+0007 in “Berg� Anna Maria”; replaced by a question mark",
            "Berg? Anna Maria, 30012345",
        ),
    ]


def test_all_that_is_wrong_with_a_row_is_said_at_once_with_who_it_is() -> None:
    row = BERG_LINE.replace("NOR", "nor").replace("2235", "9999").replace("2191", "9998")
    assert read(HEADER + row) == [
        Problem(
            2,
            "standard rating: 9999 is above 3500; rapid rating: 9998 is above 3500",
            {"fide_id": "30012345", "name": "Berg, Anna Maria"},
        )
    ]


def test_overlong_line_is_reported_and_reading_goes_on() -> None:
    assert [row.line for row in read(f"{HEADER}{'x' * 1_000_000}\r\n{KROG_LINE}")] == [2, 3]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("", "line 1: the file is empty; it must be a FIDE rating list with its header line"),
        (" \r\n\x1a", "line 1: the file is empty; it must be a FIDE rating list with its header line"),
        (
            BERG_LINE,
            "line 1: “30012345       Berg, Anna Maria        …” isn’t the header line of a FIDE rating "
            "list, and this isn’t one of the lists of 2003 and 2004 without a header, whose rows have 79 "
            "characters; it must be “ID Number      Name …” with every column where FIDE has it",
        ),
        ("\r\nusername,name\r\n", "line 2: “username,name” isn’t the header line of a FIDE rating list"),
        (HEADER.replace("Fed ", "Fed  ") + BERG_LINE, "line 1: “ID Number      Name"),
        (HEADER.replace("SGm", "SGm2") + BERG_LINE, "line 1: “ID Number      Name"),
        (HEADER.replace("BRtng BGm BK ", "") + BERG_LINE, "line 1: “ID Number      Name"),
        (b"\x1f\x8b\x08\x00", "line 1: this is a gzip archive, not a FIDE rating list"),
        (
            COMBINED_TXT.encode("utf-16"),
            "line 1: this is UTF-16 text (save it as UTF-8), not a FIDE rating list",
        ),
        (b"ID\0Number", "line 1: this is a binary file (it contains NUL bytes), not a FIDE rating list"),
    ],
)
def test_file_without_the_header_of_a_known_layout_is_refused(data: str | bytes, reason: str) -> None:
    assert refusal(data).startswith(reason)


def test_list_of_one_control_has_to_be_told_which() -> None:
    assert refusal(TXT_LISTS["single"]) == (
        "this list is for one time control but doesn’t say which: standard, rapid or blitz?"
    )


def test_combined_list_is_not_read_as_one_of_one_control() -> None:
    assert refusal(COMBINED_TXT, FideControl.BLITZ) == ("this is a combined list, not a blitz list")
