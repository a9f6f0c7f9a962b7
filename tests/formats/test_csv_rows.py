"""Rows of a CSV file: what is taken, what is reported with its line, what makes the file refused."""

import csv
import io
import tracemalloc
from collections.abc import Sequence
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ratings.formats.csv_rows import MAX_FIELD, MAX_LINE, Row, read_rows
from ratings.formats.problems import FileRefused, Problem, shown
from tests.formats.streams import Trickle


def rows(
    data: bytes, required: Sequence[str] = ("name", "born"), optional: Sequence[str] = ()
) -> list[Row | Problem]:
    return list(read_rows(io.BytesIO(data), required=required, optional=optional))


def refusal(data: bytes) -> str:
    with pytest.raises(FileRefused) as caught:
        rows(data, optional=("fed",))
    return str(caught.value)


def only_problem(data: bytes) -> Problem:
    (problem,) = (row for row in rows(data) if isinstance(row, Problem))
    return problem


def values(name: str, born: str) -> dict[str, str]:
    return {"name": name, "born": born}


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_end_is_a_line_end(end: bytes) -> None:
    data = end.join([b"name,born", b"Anna Berg,1990", b"", b"Otto Krog,1985"])
    assert rows(data) == [Row(2, values("Anna Berg", "1990")), Row(4, values("Otto Krog", "1985"))]


def test_other_unicode_line_separators_are_no_line_ends() -> None:
    assert rows("name,born\nAnna\u2028Berg,1990\n".encode()) == [Row(2, values("Anna\u2028Berg", "1990"))]


def test_byte_order_mark_case_spaces_and_order_of_columns_do_not_matter() -> None:
    data = b"\xef\xbb\xbf BORN , Name\n 1990 , Anna Berg \n"
    assert rows(data) == [Row(2, values("Anna Berg", "1990"))]


def test_byte_order_mark_before_a_blank_line_is_skipped_with_it() -> None:
    assert rows(b"\xef\xbb\xbf\nname,born\nAnna Berg,1990\n") == [Row(3, values("Anna Berg", "1990"))]


def test_quoted_fields_may_hold_commas_and_doubled_quotation_marks() -> None:
    data = b'name,born\n"Berg, Anna ""Ace""",1990\nOtto Krog, "1985"\n'
    assert rows(data) == [Row(2, values('Berg, Anna "Ace"', "1990")), Row(3, values("Otto Krog", "1985"))]


def test_absent_optional_column_is_absent_and_a_blank_one_is_blank() -> None:
    assert rows(b"name,born\nAnna Berg,1990\n", optional=("fed",)) == [Row(2, values("Anna Berg", "1990"))]
    assert rows(b"name,born,fed\nAnna Berg,1990,\n", optional=("fed",)) == [
        Row(2, {**values("Anna Berg", "1990"), "fed": ""})
    ]


def test_file_of_refused_rows_can_be_read_again() -> None:
    data = "line,reason,name,born\n7,\tbad Umlaut \ufffd,Anna Berg,1990\n".encode()
    assert rows(data) == [Row(2, values("Anna Berg", "1990"))]


def test_column_line_is_a_column_like_others_where_it_is_wanted() -> None:
    assert rows(b"line\nLine 1\n", required=("line",)) == [Row(2, {"line": "Line 1"})]


def test_header_without_rows_is_no_row() -> None:
    assert rows(b"name,born") == []


@pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
def test_empty_file_is_refused(data: bytes) -> None:
    assert refusal(data) == ("line 1: the file is empty; the columns must be name,born (optional: fed)")


def test_wrong_columns_are_all_named_with_what_is_expected() -> None:
    assert refusal(b"\nname,year,Name,town\n") == (
        "line 2: columns missing: “born”; unknown: “year”, “town”; repeated: “name”; "
        "the columns must be name,born (optional: fed), separated by commas, semicolons or tabs"
    )


def test_only_a_few_of_many_unknown_columns_are_named() -> None:
    assert "unknown: “0”, “1”, “2”, “3”, “4”, …; the columns must be" in refusal(
        b"name,born," + ",".join(map(str, range(100_000))).encode()
    )


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"%PDF-1.7\n", "a PDF document"),
        ("name,born\n".encode("utf-16-le"), "a binary file (it contains NUL bytes)"),
        (b'<?xml version="1.0"?>', "XML or HTML"),
        (b'[Event "Winter, cup"]\n', "PGN"),
        (b"\xef\xbb\xbf<html>", "XML or HTML"),
    ],
)
def test_file_that_is_plainly_something_else_is_refused_by_its_name(data: bytes, kind: str) -> None:
    assert f"line 1: this is {kind}" in refusal(data)


@pytest.mark.parametrize("header", [b'name,"born\n', b'"na"me,born\n', b"n" * (MAX_LINE + 1)])
def test_header_that_cannot_be_taken_apart_refuses_the_file(header: bytes) -> None:
    assert refusal(header).startswith("line 1: ")


@pytest.mark.parametrize(
    ("row", "fields", "kept", "beyond"),
    [
        (b"Anna Berg", "1 of 2", {"name": "Anna Berg"}, ()),
        (b"Anna Berg,1990,x", "3 of 2", {"name": "Anna Berg", "born": "1990"}, ("x",)),
        (b'"Anna"', "1 of 2", {"name": "Anna"}, ()),
        (b"Anna\x01", "1 of 2", {"name": "Anna\ufffd"}, ()),
    ],
)
def test_row_with_another_number_of_fields_is_kept_and_not_guessed(
    row: bytes, fields: str, kept: dict[str, str], beyond: tuple[str, ...]
) -> None:
    problem = only_problem(b"name,born\nOtto Krog,1985\n" + row + b"\nMaja Lind,2001\n")
    assert problem.line == 3
    assert problem.reason.startswith(f"{fields} fields, in the row that begins “Anna")
    assert (problem.fields, problem.beyond) == (kept, beyond)


@pytest.mark.parametrize(
    ("bad", "reason", "name"),
    [
        (b"M\x81ller", "name: “M\ufffdller” is not UTF-8; save the file as UTF-8", "M\ufffdller"),
        (b"M\x00ller", "name: the control character U+0000 in “M\ufffdller”", "M\ufffdller"),
        (b"M\tller", "name: the control character U+0009 in “M\ufffdller”", "M\ufffdller"),
        (b"Moller\x1f", "name: the control character U+001F in “Moller\ufffd”", "Moller"),
        ("M\x85ller".encode(), "name: the control character U+0085 in “M\ufffdller”", "M\ufffdller"),
        ("M\ufffdller".encode(), "name: “M\ufffdller” is not UTF-8; save the file as UTF-8", "M\ufffdller"),
    ],
)
def test_field_with_unreadable_characters_is_reported_with_its_column(
    bad: bytes, reason: str, name: str
) -> None:
    data = b"name,born\n" + bad + b",1990\nOtto Krog,1985\n"
    assert rows(data) == [Problem(2, reason, values(name, "1990")), Row(3, values("Otto Krog", "1985"))]


def test_fields_of_a_problem_can_always_be_written_and_are_refused_again() -> None:
    for bad in (b"M\x81ller", b"M\x00ller", b"x" * (MAX_FIELD + 1)):
        fields = only_problem(b"name,born\n" + bad + b",1990\n").fields
        assert only_problem(b"name,born\n" + f"{fields['name']},{fields['born']}\n".encode()).line == 2


@pytest.mark.parametrize("quote", [b"", b'"'])
@pytest.mark.parametrize("length", [MAX_FIELD + 1, 1_000_000])
def test_field_over_ten_thousand_characters_is_reported(length: int, quote: bytes) -> None:
    data = b"name,born\n" + quote + b"x" * length + quote + b",1990\nOtto Krog,1985\n"
    problem, row = rows(data)
    assert isinstance(problem, Problem)
    assert problem.line == 2
    assert "10,000" in problem.reason
    assert len(problem.reason) < 200
    assert row == Row(3, values("Otto Krog", "1985"))


def test_field_of_ten_thousand_characters_is_taken() -> None:
    assert rows(b"name,born\n" + b"x" * MAX_FIELD + b",1990\n") == [Row(2, values("x" * MAX_FIELD, "1990"))]


def test_line_without_end_is_never_held_whole() -> None:
    class Endless(io.RawIOBase):
        left = 200

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            if self.left == 199:
                return b"name,born\n"
            return b"x" * size if self.left > 0 else b"\nOtto Krog,1985\n" if self.left == 0 else b""

        def tell(self) -> int:
            return 0

        def seek(self, offset: int, whence: int = 0) -> int:
            self.left = 200
            return 0

    tracemalloc.start()
    problem, row = read_rows(Endless(), required=("name", "born"))  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert problem == Problem(2, "longer than 1,048,576 bytes")
    assert row == Row(3, values("Otto Krog", "1985"))
    assert peak < 6 * MAX_LINE


def test_file_of_bare_carriage_returns_is_no_endless_line() -> None:
    people = MAX_LINE // 10
    result = rows(b"name,born\r" + b"Otto Krog,1985\r" * people)
    assert result == [Row(line, values("Otto Krog", "1985")) for line in range(2, people + 2)]


def test_too_long_line_ends_at_a_carriage_return_that_ends_a_chunk() -> None:
    chunk = 1 << 18
    start = b"name,born\r".ljust(MAX_LINE + chunk - 1, b"x") + b"\r"
    stream = Trickle(start + b"Otto Krog,1985\r", chunk)
    assert list(read_rows(stream, required=("name", "born"))) == [
        Problem(2, "longer than 1,048,576 bytes"),
        Row(3, values("Otto Krog", "1985")),
    ]


def test_bad_quoting_is_reported_and_reading_goes_on() -> None:
    problem, row = rows(b'name,born\n"Anna" Berg,1990\nOtto Krog,1985\n')
    assert isinstance(problem, Problem)
    assert (problem.line, problem.fields) == (2, {})
    assert problem.reason.startswith("bad quoting")
    assert problem.reason.endswith('“"Anna" Berg,1990”')
    assert row == Row(3, values("Otto Krog", "1985"))


def test_line_break_inside_a_field_is_reported_with_all_its_lines() -> None:
    problem, row = rows(b'name,born\n"Anna\n\nBerg",1990\nOtto Krog,1985\n')
    assert isinstance(problem, Problem)
    assert problem.line == 2
    assert "lines 2 to 4 were read as one row" in problem.reason
    assert row == Row(5, values("Otto Krog", "1985"))


def test_quotation_mark_never_closed_swallows_no_more_than_a_field() -> None:
    lines = b"Otto Krog,1985\n" * 2000
    result = rows(b'name,born\nMaja Lind,2001\n"Anna,1990\n' + lines)
    first, problem, *others = result
    assert first == Row(2, values("Maja Lind", "2001"))
    assert isinstance(problem, Problem)
    swallowed = 10_000 // len("Otto Krog,1985\n") + 1
    assert problem.line == 3
    assert f"lines 3 to {3 + swallowed} were read as one row, so none of them is imported" in problem.reason
    assert [row.line for row in others] == list(range(4 + swallowed, 2004))


def test_quotation_mark_never_closed_on_the_last_line_is_reported() -> None:
    assert only_problem(b'name,born\n"Anna,1990').reason.endswith('“"Anna,1990”')


def test_problem_reads_as_line_and_reason() -> None:
    assert str(Problem(17, "no name")) == "line 17: no name"


def test_shown_values_are_short_and_readable() -> None:
    assert shown("Anna\nBerg\udcff") == "“Anna\ufffdBerg\ufffd”"
    assert shown("x" * 40) == f"“{'x' * 40}”"
    assert shown("x" * 41) == f"“{'x' * 39}…”"


fields_of_people = st.text(
    st.characters(blacklist_categories=("Cc", "Cs"), blacklist_characters="\ufffd"), max_size=30
).map(lambda text: normalize("NFC", text.strip()))  # what the reader gives is composed


@given(
    people=st.lists(st.tuples(fields_of_people.filter(bool), fields_of_people), max_size=8),
    separator=st.sampled_from([",", ";", "\t"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    step=st.integers(1, 40),
)
def test_what_the_csv_module_writes_is_read_back_however_it_is_chunked(
    people: list[tuple[str, str]], separator: str, encoding: str, end: str, quoting: int, step: int
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)  # type: ignore[arg-type]
    writer.writerows([("name", "born"), *people])
    # The mark of UTF-16 has two bytes.
    stream = Trickle(text.getvalue().encode(encoding), max(step, 2) if encoding == "utf-16" else step)
    read = read_rows(stream, required=("name", "born"))
    assert list(read) == [Row(line, values(*person)) for line, person in enumerate(people, 2)]


@given(st.binary(max_size=300), st.booleans(), st.integers(1, 300))
@example(b'"\n"', True, 1)
def test_no_bytes_raise_anything_but_a_refusal(data: bytes, with_header: bool, step: int) -> None:
    data = b"name,born\n" * with_header + data
    try:
        for row in read_rows(Trickle(data, step), required=("name", "born")):
            assert 2 <= row.line <= len(data)
            if isinstance(row, Problem):
                "".join([row.reason, *row.fields.values()]).encode()
    except FileRefused as refused:
        str(refused).encode()
        assert not with_header
