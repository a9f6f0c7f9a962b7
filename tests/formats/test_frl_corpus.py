"""The layouts of 2001 to 2005, one file each: every player is read, and what is left blank is said."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.frl import FideControl, FideRating, PlayerRow, open_frl
from ratings.formats.problems import FileRefused, Problem, Remark
from tests.formats.frl_corpus import NAMES_OF_2001, OLD_LISTS, PLAYERS, in_85, listed
from tests.formats.frl_text import read

STANDARD = FideControl.STANDARD
TITLES = {"": "", "g": "GM", "m": "IM", "f": "FM", "wg": "WGM", "wf": "WFM"}


def rows_of(data: bytes) -> list[PlayerRow]:
    return [row for row in read(data, STANDARD) if isinstance(row, PlayerRow)]


def test_headers_of_2003_and_2004_are_77_characters_above_rows_of_79() -> None:
    for layout in ("January 2003", "April 2004"):
        header, first, *_ = OLD_LISTS[layout][0].split(b"\r\n")
        assert (len(header), len(first)) == (77, 79)


@pytest.mark.parametrize("layout", OLD_LISTS)
def test_rows_have_the_width_of_their_layout(layout: str) -> None:
    data, _, width = OLD_LISTS[layout]
    assert {len(line) for line in data.split(b"\r\n")[-len(PLAYERS) - 1 : -1]} == {width}


@pytest.mark.parametrize("layout", OLD_LISTS)
def test_every_player_is_read_with_id_rating_and_games(layout: str) -> None:
    data, month, _ = OLD_LISTS[layout]
    assert open_frl(io.BytesIO(data), STANDARD).month == month
    assert [(row.fide_id, row.standard, row.title) for row in rows_of(data)] == [
        (number, FideRating(rating, games, 0), TITLES[title])
        for number, _, title, _, rating, games, _, _, _ in PLAYERS
    ]


@pytest.mark.parametrize("layout", OLD_LISTS)
def test_names_years_of_birth_and_flags_n_e_t_f_are_read(layout: str) -> None:
    room = 32 if layout[-1] in "12" else 33
    assert [(row.name, row.birth_year, row.flag) for row in rows_of(OLD_LISTS[layout][0])] == [
        (name[:room], int(born[6:]) if born[6:].strip() and layout != "2001" else None, flag)
        for _, name, _, _, _, _, born, _, flag in PLAYERS
    ]


@pytest.mark.parametrize("layout", OLD_LISTS)
def test_sex_is_read_of_its_column_or_told_by_the_flag(layout: str) -> None:
    assert [row.sex for row in rows_of(OLD_LISTS[layout][0])] == [
        sex if layout == "July 2002" else "F" if "w" in flag else "" for *_, sex, flag in PLAYERS
    ]


@pytest.mark.parametrize("layout", OLD_LISTS)
def test_a_federation_that_is_an_asterisk_is_left_blank_with_a_remark(layout: str) -> None:
    data = OLD_LISTS[layout][0]
    first = next(row.line for row in rows_of(data))
    assert [row.federation for row in rows_of(data)] == ["", "NOR", "NOR", "", "NOR", "NOR", "", "NOR"]
    of_rows = [one for one in read(data, STANDARD) if isinstance(one, Remark) and "header" not in one.text]
    assert [(one.line, one.text) for one in of_rows] == [
        (first + number, "federation: “*” isn’t three capital letters; left blank") for number in (0, 3, 6)
    ]


def test_a_list_without_header_says_how_it_is_read() -> None:
    assert str(read(OLD_LISTS["July 2003"][0], STANDARD)[0]) == (
        "line 2: no header line; read as a list of July 2003 to January 2004, "
        "because its rows have 79 characters"
    )


@pytest.mark.parametrize("layout", ["2001", "January 2002", "July 2002"])
def test_a_list_of_another_width_without_header_is_refused(layout: str) -> None:
    rows = OLD_LISTS[layout][0].split(b"\r\n", 1)[1]
    with pytest.raises(FileRefused, match="this isn’t one of the lists of 2003 and 2004 without a header"):
        read(rows, STANDARD)


def test_rows_that_no_layout_fits_are_refused_although_the_header_is_known() -> None:
    shuffled = listed([f"{NAMES_OF_2001} JAN02 GAMES BIRTHDAY FLAG"], lambda *player: in_85(*player)[::-1])
    with pytest.raises(
        FileRefused, match=r"^line 2: the rows don’t fit any layout of FIDE’s lists; use the file"
    ):
        read(shuffled, STANDARD)


def test_two_blanks_before_the_header_alone_do_no_harm() -> None:
    header, *rows = OLD_LISTS["July 2002"][0].split(b"\r\n")
    moved = b"\r\n".join([header, *(row[2:] for row in rows)])
    assert [row.standard for row in rows_of(moved)] == [
        row.standard for row in rows_of(OLD_LISTS["July 2002"][0])
    ]


@pytest.mark.parametrize("layout", OLD_LISTS)
@given(st.data())
@pytest.mark.long
def test_a_mutated_list_never_loses_a_rated_player_silently(layout: str, data: st.DataObject) -> None:
    original, _, width = OLD_LISTS[layout]
    good = {row.line: row for row in rows_of(original)}
    lines = original.split(b"\r\n")
    number = data.draw(st.sampled_from(sorted(good)))
    line = lines[number - 1]
    place = data.draw(st.integers(0, width - 1))
    change = data.draw(st.sampled_from([b"", b" ", b"*", b"x", b"\x07", b"\xff"]))
    until = place if change and data.draw(st.booleans()) else place + 1
    lines[number - 1] = line[:place] + change + line[until:]
    try:
        found = read(b"\r\n".join(lines), STANDARD)
    except FileRefused:
        return
    left_out = [one.line for one in found if isinstance(one, Problem)]
    taken = [one.line for one in found if isinstance(one, PlayerRow)]
    assert sorted(left_out + taken) == sorted(good)
    for row in found:
        if isinstance(row, PlayerRow):
            assert row.standard is not None
            assert row.standard.rating == good[row.line].standard.rating
