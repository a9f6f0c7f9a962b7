"""FIDE rating lists as XML: however the file is written, the same players; nothing that could expand."""

import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.frl import FideControl, FideRating, PlayerRow
from ratings.formats.frl.layouts import Players, itself
from ratings.formats.frl.xml import beginning_of, xml_players
from ratings.formats.problems import Problem
from tests.formats.frl_text import BERG, KROG, SMALL_XML, player, problems, read, refusal, remarks, xml

BOMB = '<!DOCTYPE playerslist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'
SINGLE = dict.fromkeys(
    f"{control}_{element}" for control in ("rapid", "blitz") for element in ("rating", "games", "k")
)
"""Changes that make a record one of a list of one control."""


def whole(*records: str) -> str:
    return f"<playerslist>\n{''.join(records)}</playerslist>\n"


def test_combined_list_is_read_to_the_last_element() -> None:
    assert read(SMALL_XML) == [BERG, KROG._replace(line=23)]


@pytest.mark.parametrize("control", FideControl)
def test_list_of_one_control_fills_that_control_only(control: FideControl) -> None:
    others = dict.fromkeys(set(FideControl) - {control})
    assert player(whole(xml(**SINGLE)), control) == BERG._replace(
        **{control: FideRating(2235, 9, 20), **others}
    )


@given(st.integers(1, 1000))
def test_size_of_blocks_does_not_matter(step: int) -> None:
    data = whole(xml(), xml(name="Bj&#246;rn &amp; Co"), xml(rating="9999"), xml()).replace("R</c", "R\n </c")
    assert read(data, step=step) == read(data)


ODD_RECORDS = (
    xml(),
    xml(name="Bj&#246;rn &amp; Co"),
    xml(name=" Berg,\nAnna "),
    xml(name=""),
    xml(name="x" * 151),
    xml(fideid="3_0"),
    xml(fideid=" 7 "),
    xml(rating="9999"),
    xml(blitz_rating=None),
)


@given(st.lists(st.sampled_from(ODD_RECORDS), max_size=8))
def test_what_is_read_of_a_record_does_not_depend_on_those_around_it(records: list[str]) -> None:
    expected, line = [], 2 + xml().count("\n")
    for record in records:
        expected += [
            row._replace(line=line) if isinstance(row, PlayerRow) else replace(row, line=line)
            for row in read(whole(record))
        ]
        line += record.count("\n")
    assert read(whole(xml(), *records))[1:] == expected


@pytest.mark.parametrize(
    "record",
    [
        xml().replace("\n", ""),
        xml().replace("\n", "\r\n"),
        xml().replace("\n", "\n\n  \t"),
        xml().replace("<name>", "<name >").replace("</flag>", "</flag >"),
        xml().replace("<player>", '<player id="7">'),
        xml().replace("WGM", "&#87;G&#x4D;"),
        xml().replace(">w<", ">\n w \n<"),
        xml(fideid=None).replace("<flag>", "<fideid>30012345</fideid><flag>"),
        xml(club="Oslo"),
    ],
)
def test_form_of_a_record_does_not_matter(record: str) -> None:
    assert player(whole(record)) == BERG


def test_empty_elements_may_close_themselves_or_be_absent() -> None:
    record = xml(w_title=None, o_title=None, foa_title=None, blitz_games=None, blitz_k=None, flag=None)
    for data in (record, record.replace("</name>\n", "</name>\n<w_title/><flag />\n")):
        assert player(whole(data)) == BERG._replace(
            women_title="", other_titles="", arena_title="", blitz=FideRating(2200, 0, 0), flag=""
        )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Berg &amp; S&#248;n", "Berg & Søn"),
        ("Bj&#xF6;rn &lt;b&gt;", "Björn <b>"),
        ("&#321;ucja", "Łucja"),
        ("Łucja", "Łucja"),
        ("O&apos;Hara", "O'Hara"),
        ("&amp;amp;", "&amp;"),
    ],
)
def test_names_may_have_references_and_letters_of_all_tongues(text: str, name: str) -> None:
    assert player(whole(xml(name=text)).encode()).name == name


@pytest.mark.parametrize(
    "beginning",
    ["\ufeff", "\n\n", '<?xml version="1.0"?>\n', "<?xml version='1.0' encoding='utf-8'?>", "\ufeff\r\n"],
)
def test_declaration_and_byte_order_mark_are_no_hindrance(beginning: str) -> None:
    row = player(f"{beginning}{whole(xml())}".encode())
    assert row == BERG._replace(line=2 + beginning.count("\n"))


def test_rows_and_problems_have_the_line_on_which_the_record_begins() -> None:
    data = whole(xml(), "\n\n", xml(name="A &amp; B"), xml(rating="9999"), "\n", xml(sex="Q"), xml())
    assert [row.line for row in read(data)] == [2, 25, 46, 68, 68, 89]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rating": "9999"}, "standard rating: 9999 is above 3500"),
        ({"blitz_rating": "22 00"}, "blitz rating: “22 00” isn’t a number"),
        ({"rapid_k": "٢٠"}, "rapid K: “٢٠” isn’t a number"),
        ({"country": ""}, ""),
        ({"fideid": ""}, "FIDE ID: “” isn’t a number of 1 to 9 digits"),
        ({"fideid": None}, "without fideid: “<player> <name>Berg, Anna Maria</name> …”"),
        ({"rating": None, "blitz_rating": None}, "without rating, blitz_rating: “<player>"),
        ({"rating": "2235</rating><rating>2236"}, "rating appears twice: “<player>"),
        ({"rating": "<b>2235</b>"}, "rating contains another element: “<player>"),
        ({"name": "&who;"}, "undefined entity: lines 23 to 43 aren’t XML and weren’t read: “<player>"),
        ({"name": "a < b"}, "not well-formed (invalid token): lines 23 to 43 aren’t XML and weren’t read"),
        ({"name": "</name>"}, "mismatched tag: lines 23 to 43 aren’t XML and weren’t read"),
    ],
)
def test_record_that_cannot_be_is_reported_and_reading_goes_on(changes, reason: str) -> None:
    data = whole(xml(), xml(**changes), xml()).encode()
    first, second, third = read(data)
    assert isinstance(first, PlayerRow)
    assert isinstance(third, PlayerRow)
    if reason:
        assert str(second).startswith(f"line 23: {reason}")
    else:
        assert second == BERG._replace(line=23, federation="")


@pytest.mark.parametrize(
    ("changes", "read_as", "remark"),
    [
        ({"country": "*"}, {"federation": ""}, "federation: “*” isn’t three capital letters; left blank"),
        (
            {"country": "N&amp;O"},
            {"federation": ""},
            "federation: “N&amp;O” isn’t three capital letters; left blank",
        ),
        ({"country": None}, {"federation": ""}, "country is missing; left blank"),
        ({"name": None}, {"name": ""}, "name is missing; left blank"),
        ({"birthday": "1792"}, {"birth_year": None}, "birth: 1792 is before 1850; left blank"),
        ({"o_title": ",IO"}, {"other_titles": ""}, "other titles: “,IO” isn’t a list of titles; left blank"),
        ({"name": "<b>Berg</b>"}, {"name": ""}, "name contains another element; left blank"),
        ({"sex": "F</sex><sex>M"}, {"sex": ""}, "sex appears twice; left blank"),
        (
            {"name": "Berg\nAnna"},
            {"name": "Berg?Anna"},
            "name: the character U+000A in “Berg�Anna”; replaced by a question mark",
        ),
        (
            {"name": "x" * 151},
            {"name": "x" * 150},
            f"name: “{'x' * 39}…” has 151 characters; cut to 150",
        ),
    ],
)
def test_a_fault_elsewhere_than_in_id_and_ratings_is_left_blank_and_the_player_stays(
    changes, read_as, remark: str
) -> None:
    first, second, said, third = read(whole(xml(), xml(**changes), xml()).encode())
    assert (first, third) == (BERG, BERG._replace(line=23 + xml(**changes).count("\n")))
    assert second == BERG._replace(line=23, **read_as)
    assert (said.line, said.text) == (23, remark)


def test_a_byte_that_is_no_utf_8_becomes_a_question_mark_in_a_name() -> None:
    data = whole(xml(name="Bj\xf6rn")).encode("latin-1")
    assert player_of(data).name == "Bj?rn"
    assert remarks(data) == [
        "line 2: name: a byte that isn’t UTF-8 in “Bj�rn”; replaced by a question mark (Bj?rn, 30012345)"
    ]


def player_of(data: bytes) -> PlayerRow:
    return next(row for row in read(data) if isinstance(row, PlayerRow))


def test_two_records_without_an_end_between_them_are_both_reported() -> None:
    data = whole(xml().replace("</player>", ""), xml(), xml())
    (problem, row) = read(data)
    assert isinstance(problem, Problem)
    assert problem.reason.startswith("no element found: lines 2 to 43 aren’t XML and weren’t read")
    assert row == BERG._replace(line=44)


@pytest.mark.parametrize("markup", ["<!-- x -->", "<![CDATA[x]]>", "<?php x ?>", "<!DOCTYPE x>", BOMB])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_doctype_entities_comments_cdata_and_instructions_are_refused_anywhere(
    markup: str, place: int
) -> None:
    parts = ["<playerslist>\n", xml(), xml(name="Krog"), "</playerslist>\n"]
    parts.insert(place, f"{markup}\n")
    assert "is refused: a rating list has no DOCTYPE, entities, comments, CDATA" in refusal("".join(parts))


def test_markup_within_a_name_is_refused_with_its_line() -> None:
    assert refusal(whole(xml(), xml(name="<![CDATA[</player>]]>"))) == (
        "line 25: “<![CDATA[</player>” is refused: a rating list has no DOCTYPE, entities, comments, CDATA "
        "sections or instructions"
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (
            "<html><body>Not found",
            "line 1: “<html><body>Not found” isn’t the start of a FIDE rating list; it must be",
        ),
        ("<playerslist></playerslist>", "line 1: the list doesn’t have a single complete <player>"),
        ("\n<playerslist>\n<player>", "line 3: the list doesn’t have a single complete <player>"),
        (
            '<?xml version="1.0" encoding="utf-16"?><playerslist>',
            "line 1: the encoding is “utf-16”; it must be UTF-8",
        ),
        (whole(xml()).replace("</playerslist>\n", ""), "line 23: the file is incomplete: “” isn’t the"),
        (
            whole(xml(), "<player>\n<name>"),
            "line 23: the file is incomplete: “<player> <name></playerslist>” is",
        ),
        (whole(xml()) + "x", "line 23: the file is incomplete: “</playerslist> x” isn’t the </playerslist>"),
        (whole(xml())[:-60], "line 2: the list doesn’t have a single complete"),
        (whole(xml(), xml(name="x" * 70_000)[:-12]), "line 23: a record of more than 65,536 bytes"),
    ],
)
def test_file_that_is_no_list_or_breaks_off_is_refused(data: str, reason: str) -> None:
    assert refusal(data).startswith(reason)


def test_list_of_one_control_has_to_be_told_which() -> None:
    assert refusal(whole(xml(**SINGLE))).startswith("this list is for one time control")


def test_record_of_one_control_has_no_place_in_a_combined_list() -> None:
    (problem,) = problems(whole(xml(), xml(**SINGLE)))
    assert problem.startswith("line 23: without rapid_rating, blitz_rating: ")


def test_memory_does_not_grow_with_the_file() -> None:
    class Endless:
        """Ten thousand records, or four times as many."""

        def __init__(self, records: int) -> None:
            self.left = [b"<playerslist>\n", *[xml().encode() * 100] * (records // 100), b"</playerslist>"]

        def read(self, size: int = -1) -> bytes:
            return self.left.pop(0) if self.left else b""

    peaks = []
    for records in (10_000, 40_000):
        tracemalloc.start()
        beginning = beginning_of(Endless(records))  # type: ignore[arg-type]
        found = xml_players(beginning, tuple(FideControl), itself)
        assert sum(len(some.lines) for some in found if isinstance(some, Players)) == records
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
