"""Rating lists written as FIDE writes them: to the byte, and read again they say the same."""

from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.frl import (
    FideControl,
    FideRating,
    PlayerRow,
    combined_txt,
    combined_xml,
    single_txt,
    single_xml,
)
from tests.benchmarks.fide_lists import players
from tests.formats.frl_text import BERG, COMBINED_TXT, KROG, TXT_LISTS, player, read, xml

RAPID = FideControl.RAPID
RATINGS = st.builds(
    FideRating, st.none() | st.integers(100, 3500), games=st.integers(0, 999), k=st.integers(0, 40)
)
ASCII_NAMES = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60).map(str.strip)
NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffd\ufffe\uffff"))
TITLES = st.sampled_from(["", "GM", "WGM", "WCM"])


def rows(names: st.SearchStrategy[str]) -> st.SearchStrategy[list[PlayerRow]]:
    """Any players that a list can hold."""
    return st.lists(
        st.builds(
            PlayerRow,
            line=st.just(0),
            fide_id=st.integers(1, 999_999_999),
            name=names,
            federation=st.sampled_from(["", "NOR", "FID"]),
            sex=st.sampled_from(["", "F", "M"]),
            title=TITLES,
            women_title=TITLES,
            other_titles=st.sampled_from(["", "IA", "IA,FST,IO", "SI,FI,LSI,SLI,N"]),
            arena_title=st.sampled_from(["", "AGM", "ACM"]),
            standard=RATINGS,
            rapid=RATINGS,
            blitz=RATINGS,
            birth_year=st.none() | st.integers(1850, 2099),
            flag=st.sampled_from(["", "i", "w", "wi"]),
        )
    )


def numbered(rows: Iterable[PlayerRow], lines: int) -> list[PlayerRow]:
    """The rows as they are read, each so many lines after the one before."""
    return [row._replace(line=2 + lines * place) for place, row in enumerate(rows)]


def of_rapid(row: PlayerRow) -> PlayerRow:
    return row._replace(standard=None, blitz=None)


def written(pieces: Iterator[bytes]) -> str:
    return b"".join(pieces).decode("ascii")


def test_combined_txt_list_is_that_of_fide_to_the_byte() -> None:
    assert written(combined_txt([BERG, KROG])) == COMBINED_TXT


def test_txt_list_of_one_control_is_that_of_fide_to_the_byte() -> None:
    rows = [row._replace(rapid=row.standard, standard=None, blitz=None) for row in (BERG, KROG)]
    assert written(single_txt(rows, RAPID, 2026, 10)) == TXT_LISTS["single"]


@pytest.mark.parametrize(
    ("year", "month", "label"), [(2026, 1, "JAN26"), (2009, 9, "SEP09"), (2030, 12, "DEC30")]
)
def test_header_names_the_month(year: int, month: int, label: str) -> None:
    (header,) = single_txt([], RAPID, year, month)
    assert header[113:119].decode() == f"{label} "


def test_combined_xml_list_is_that_of_fide_to_the_byte() -> None:
    assert written(combined_xml([BERG])) == f"<playerslist>\n{xml()}</playerslist>\n"
    assert "<blitz_k>0</blitz_k>\n<birthday>0</birthday>\n<flag>i</flag>\n" in written(combined_xml([KROG]))


def test_xml_list_of_one_control_does_not_name_it() -> None:
    text = written(single_xml([of_rapid(BERG)], RAPID))
    assert "</foa_title>\n<rating>2191</rating>\n<games>0</games>\n<k>20</k>\n<birthday>" in text


def test_list_without_players_is_a_list() -> None:
    assert read(written(combined_txt([]))) == []
    assert written(combined_xml([])) == "<playerslist>\n</playerslist>\n"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Müller, Jörg", "Muller, Jorg"),
        ("Strauß, Łukasz", "Strauss, Lukasz"),
        ("Sørensen, Æsa", "Sorensen, AEsa"),
        ("Đorđević, Þór", "Dordevic, Thor"),
        ("O’Neill, Zoë", "O'Neill, Zoe"),
        ("Иванов, Olga", "??????, Olga"),
        ("Berg\r\nAnna\x00", "Berg??Anna?"),
        ("x" * 70, "x" * 60),
    ],
)
def test_txt_keeps_of_a_name_what_ascii_and_its_column_can_hold(name: str, kept: str) -> None:
    assert player(written(combined_txt([BERG._replace(name=name)]))) == BERG._replace(name=kept)


@pytest.mark.parametrize(
    ("titles", "kept"),
    [
        ("SI,FI,LSI,SLI,N", "SI,FI,LSI,SLI,N"),
        ("SI,FI,LSI,SLI,NA", "SI,FI,LSI,SLI"),
        ("SI,FI,LSI,SLI,NA,FST,IA", "SI,FI,LSI,SLI"),
        ("X" * 16, ""),
    ],
)
def test_txt_leaves_out_other_titles_that_would_run_over(titles: str, kept: str) -> None:
    row = player(written(combined_txt([BERG._replace(other_titles=titles)])))
    assert row == BERG._replace(other_titles=kept)


def test_xml_keeps_every_letter_as_a_reference_and_no_markup() -> None:
    text = written(combined_xml([BERG._replace(name="Łuß & <b>\x07Ж😀")]))
    assert "<name>&#321;u&#223; &amp; &lt;b&gt;?&#1046;&#128512;</name>" in text
    assert player(text).name == "Łuß & <b>?Ж😀"


@pytest.mark.parametrize("write", [combined_txt, lambda rows: single_txt(rows, RAPID, 2026, 10)])
@given(rows(ASCII_NAMES))
def test_txt_that_was_written_reads_the_same(
    write: Callable[[list[PlayerRow]], Iterator[bytes]], rows: list[PlayerRow]
) -> None:
    if write is combined_txt:
        assert read(written(write(rows))) == numbered(rows, 1)
    else:
        assert read(written(write(rows)), RAPID) == numbered(map(of_rapid, rows), 1)


@given(rows(NAMES.map(lambda name: name[:150].strip())).filter(bool))
def test_xml_that_was_written_reads_the_same(rows: list[PlayerRow]) -> None:
    assert read(written(combined_xml(rows))) == numbered(rows, 21)
    assert read(written(single_xml(rows, RAPID)), RAPID) == numbered(map(of_rapid, rows), 15)


def test_list_of_the_benchmarks_is_always_the_same_and_read_without_a_problem() -> None:
    rows = list(players(3_000))
    assert rows == list(players(3_000))
    assert len({row.fide_id for row in rows}) == 3_000
    assert read(written(combined_txt(rows))) == numbered(rows, 1)
    assert read(written(combined_xml(rows))) == numbered(rows, 21)
