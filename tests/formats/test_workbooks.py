"""Workbooks of one sheet are read like the CSV that a spreadsheet program would save them as."""

import io
import zipfile
from contextlib import suppress
from datetime import date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from ratings.formats import workbook
from ratings.formats.csv_rows import Row, read_rows
from ratings.formats.problems import FileRefused

COLUMNS = ("username", "rating", "effective_at", "note")


def saved(*rows, title="Ratings", formats=(), also=()):
    """A workbook with these rows; further sheets, each with a cell."""
    book = Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    for cell, number_format in formats:
        sheet[cell].number_format = number_format
    for name, value in also:
        book.create_sheet(name)["B2"] = value
    stream = io.BytesIO()
    book.save(stream)
    stream.seek(0)
    return stream


def read(stream):
    rows = read_rows(stream, required=COLUMNS)
    return list(rows), rows.read_as


def changed(stream, change):
    """The workbook with the XML of its sheet changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(stream) as before, zipfile.ZipFile(out, "w") as after:
        for info in before.infolist():
            data = before.read(info)
            after.writestr(info, change(data) if info.filename == "xl/worksheets/sheet1.xml" else data)
    out.seek(0)
    return out


HEADER = ("Username", "Rating", "Effective at", "Note")


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        ("anna", "General", "anna"),
        (1800, "General", "1800"),
        (1799.6, "0.00", "1799.6"),
        (1799.6000000000001, "General", "1799.6"),
        (0.1 + 0.2, "General", "0.3"),
        (-12.4, "General", "-12.4"),
        (1800.0, "0.00", "1800"),
        (True, "General", "yes"),
        (False, "General", "no"),
        (datetime(2026, 1, 31), "dd.mm.yyyy", "2026-01-31"),
        (date(2026, 1, 31), "mm-dd-yy", "2026-01-31"),
        (datetime(2026, 11, 1), "mmm-yy", "2026-11"),
        (datetime(2026, 1, 31), "dd.mm.yyyy hh:mm", "2026-01-31T00:00:00"),
        (datetime(2026, 1, 31, 18, 30), "dd.mm.yyyy hh:mm", "2026-01-31T18:30:00"),
        (datetime(2026, 1, 31, 18, 29, 59, 999_900), "dd.mm.yyyy hh:mm", "2026-01-31T18:30:00"),
        (time(18, 30), "hh:mm", "18:30:00"),
        ("two\nlines", "General", "two lines"),
        (" Łucja ", "General", "Łucja"),
        ('1,5; "x"', "General", '1,5; "x"'),
    ],
)
def test_a_cell_is_read_as_the_office_writes_its_value(value, number_format, text):
    stream = saved(HEADER, ("anna", 1, 2, value), formats=[("D2", number_format)])
    (row,), _how = read(stream)
    assert row.values["note"] == text


GAME = ("external_id", "white", "black", "result", "time_control", "round")


@pytest.mark.parametrize(
    ("place", "value", "number_format", "found"),
    [
        (1, datetime(2026, 3, 1), "yyyy-mm-dd", "the date 2026-03-01"),
        (1, datetime(2026, 3, 1), "mmm-yy", "the date 2026-03"),
        (1, True, "General", "TRUE"),
        (2, False, "General", "FALSE"),
        (1, 7, "General", "the number 7"),
        (2, 100000.0, "General", "the number 100000"),
        # What a spreadsheet program makes of 1-0, 1/2 and 0.5.
        (3, datetime(2026, 1, 2), "d-mmm", "the date 2026-01-02"),
        (3, 0.5, "# ?/?", "the number 0.5"),
        (4, time(3, 2), "h:mm", "the time 03:02:00"),
        (0, 1234567890123456, "General", "the number 1234567890123456"),
        (0, 1.5, "General", "the number 1.5"),
        (5, 3.1, "General", "the number 3.1"),
    ],
)
def test_a_cell_that_must_have_text_and_has_something_else_refuses_its_row(
    place, value, number_format, found
):
    cells = ["g1", "anna", "bob", "1-0", "180+2", "1"]
    bad = [value if one == place else text for one, text in enumerate(cells)]
    coordinate = f"{'ABCDEF'[place]}3"
    rows = list(read_rows(saved(GAME, cells, bad, formats=[(coordinate, number_format)]), required=GAME))
    assert rows[0] == Row(2, dict(zip(GAME, cells, strict=True)))
    name = GAME[place]
    assert rows[1].reason.startswith(f"{name}: cell {coordinate} has {found} instead of text: format")
    # It is refused again if nobody corrects it.
    assert rows[1].fields[name].endswith("\ufffd")
    assert {**rows[1].fields, name: cells[place]} == dict(zip(GAME, cells, strict=True))


def test_an_id_and_a_time_control_may_be_whole_numbers():
    (row,) = read_rows(saved(GAME, (17, "anna", "bob", "1-0", 180.0, 3)), required=GAME)
    assert (row.values["external_id"], row.values["time_control"], row.values["round"]) == ("17", "180", "3")


def test_the_columns_that_must_have_text_are_found_under_the_names_of_the_file():
    (row,) = read_rows(saved(("Home team", "No"), (7, 7)), required=("home_team", "no"))
    assert row.reason.startswith("home_team: cell A2 has the number 7 instead of text")


def test_lines_are_rows_of_the_sheet_and_what_is_empty_is_left_out():
    stream = saved(HEADER, ("anna", 1800), (), (None, None), ("bob", None, None, "x"), (None,) * 9)
    rows, how = read(stream)
    assert rows == [
        Row(2, {"username": "anna", "rating": "1800", "effective_at": "", "note": ""}),
        Row(5, {"username": "bob", "rating": "", "effective_at": "", "note": "x"}),
    ]
    assert how == "workbook, sheet “Ratings”; columns renamed: “Effective at” is effective_at"


def test_an_empty_sheet_beside_the_one_with_data_does_not_matter():
    stream = saved(HEADER, ("anna", 1800), also=[("Sheet2", None)])
    assert len(read(stream)[0]) == 1


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (saved(HEADER, also=[("Old", 1)]), "has 2 sheets with data (“Ratings”, “Old”)"),
        (saved(), "the file is empty"),
        (saved(HEADER, ("anna", "=1+1")), "cell B2 has a formula without a value"),
        (saved(HEADER, ("anna", "#REF!")), "cell B2 has the error #REF!"),
        (saved(("Name",)), "columns missing: “username”"),
        (changed(saved(HEADER), lambda data: data[:100]), "the workbook is damaged"),
        (
            changed(
                saved(HEADER),
                lambda data: data.replace(
                    b"<worksheet", b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet', 1
                ),
            ),
            "the workbook is damaged",
        ),
    ],
)
def test_what_cannot_be_read_for_certain_refuses_the_file(stream, said):
    stream.seek(0)
    with pytest.raises(FileRefused) as refused:
        read(stream)
    assert said in str(refused.value)


def test_a_workbook_with_macros_is_refused():
    stream = saved(HEADER)
    with zipfile.ZipFile(stream, "a") as parts:
        parts.writestr("xl/vbaProject.bin", b"")
    stream.seek(0)
    with pytest.raises(FileRefused, match="has macros"):
        read(stream)


def test_a_formula_is_read_by_the_value_that_was_saved_with_it():
    stream = changed(
        saved(HEADER, ("anna", 7)), lambda data: data.replace(b"<v>7</v>", b"<f>3+4</f><v>7</v>")
    )
    assert read(stream)[0][0].values["rating"] == "7"


@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [
        ("MOST_ROWS", 2, "the sheet has more than 2 rows"),
        ("MOST_COLUMNS", 3, "row 1 of the sheet has more than 3 columns"),
        ("MOST_BYTES", 100, "larger than 0 MB unpacked"),
    ],
)
def test_a_workbook_has_limits(monkeypatch, limit, most, said):
    monkeypatch.setattr(workbook, limit, most)
    with pytest.raises(FileRefused, match=said):
        read(saved(HEADER, ("anna", 1), ("bob", 2)))


def test_too_many_rows_are_refused_before_one_is_read(monkeypatch):
    monkeypatch.setattr(workbook, "MOST_ROWS", 3)
    monkeypatch.setattr(workbook, "_PIECE", 7)
    assert len(read(saved(HEADER, ("anna", 1), ("bob", 2)))[0]) == 2
    monkeypatch.setattr("openpyxl.load_workbook", lambda *args, **options: pytest.fail("it is read"))
    with pytest.raises(FileRefused, match="the sheet has more than 3 rows"):
        read(saved(HEADER, ("anna", 1), ("bob", 2), ("carl", 3)))


def test_a_cell_far_away_costs_no_more_than_it_says():
    stream = saved(HEADER, ("anna", 1))
    far = changed(
        stream,
        lambda data: data.replace(
            b"</sheetData>", b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
        ),
    )
    with pytest.raises(FileRefused, match="more than 200,000 rows"):
        read(far)


def test_a_row_that_no_sheet_has_refuses_the_file():
    """The library would make an empty row of each before it, for days."""
    stream = changed(
        saved(HEADER),
        lambda data: data.replace(b"</sheetData>", b'<row r="999999999999"><c r="A1"/></row></sheetData>'),
    )
    with pytest.raises(FileRefused, match="a row after 1,048,576"):
        read(stream)


@given(data=st.binary(max_size=300), place=st.integers(0, 3000))
def test_any_bytes_in_a_workbook_give_rows_or_a_refusal(data, place):
    content = bytearray(saved(HEADER, ("anna", 1)).getvalue())
    content[place : place + len(data)] = data
    with suppress(FileRefused):
        read(io.BytesIO(bytes(content)))


def test_an_archive_with_a_damaged_name_is_refused() -> None:
    data = bytearray(saved(HEADER).getvalue())
    entry = data.index(b"PK\x01\x02")
    # The name is said to be UTF-8, and isn't.
    data[entry + 9] |= 0x08
    data[entry + 46] = 0xFF
    with pytest.raises(FileRefused, match="neither CSV nor a valid workbook"):
        read(io.BytesIO(data))
