"""Files of whatever has columns and rows: CSV, XLSX and JSON, safe in a spreadsheet, in flat memory."""

import io
import os
import time
import tracemalloc
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from threading import BoundedSemaphore

import pytest
from django.core.exceptions import BadRequest
from openpyxl import load_workbook

from foa import files
from foa.files import FORMATS, TableFile
from members.models import Member
from tests.arena import member
from tests.migrated import ROOT

COLUMNS = ("name", "rating", "exact")
ROWS = [('Ödman, "Jr"', 1800, Decimal("1799.60")), ("", None, None)]


def table(rows, source=None):
    """These rows as a list that leaves the office."""
    return TableFile(
        name="list",
        columns=COLUMNS,
        source=Member.objects.none() if source is None else source,
        rows=rows,
        noun="members",
        about={"category": "blitz", "month": None},
        moment=datetime(2026, 4, 1, tzinfo=UTC),
    )


@pytest.fixture
def two_places(monkeypatch):
    """Two places that nobody has taken; returns how many are free."""
    places = BoundedSemaphore(2)
    monkeypatch.setattr(files, "_places", places)
    return lambda: places._value


def ask():
    """A file that has been begun, as it is when its status is sent."""
    return files.download(lambda: iter("abc"), "a.txt", "text/plain")


def test_the_third_file_at_once_is_refused_with_when_to_ask_again(two_places):
    first, second = ask(), ask()
    third = ask()
    assert (third.status_code, third["Retry-After"]) == (503, "30")
    assert "Several other files are being created right now." in third.text
    assert first.getvalue() == second.getvalue() == b"abc"
    assert two_places() == 2


def test_a_file_gives_its_place_back_when_its_reader_leaves(db, two_places):
    response = ask()
    assert next(iter(response)) == b"a"
    assert two_places() == 1
    response.close()
    assert two_places() == 2


def test_a_file_that_nobody_begins_to_read_gives_its_place_back(two_places):
    response = files.download(lambda: iter("abc"), "a.txt", "text/plain")
    assert two_places() == 1
    del response
    assert two_places() == 2


def test_a_file_that_fails_gives_its_place_back(two_places):
    def fail():
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        files.download(fail, "a.txt", "text/plain")
    assert two_places() == 2


def test_every_list_and_file_is_refused_alike(client, db, two_places, monkeypatch):
    monkeypatch.setattr(files, "_places", BoundedSemaphore(1))
    assert files._places.acquire()
    for address in ("/members/?format=csv", "/games/?format=json", "/changes/?format=xlsx"):
        response = client.get(address)
        assert (response.status_code, response["Retry-After"]) == (503, "30"), address
    assert client.get("/members/").status_code == 200
    files._places.release()


def test_only_this_module_sends_files_in_pieces():
    """Whoever sends one in another way would hold a thread that nobody counts."""
    found = {
        str(path.relative_to(ROOT))
        for room in ("foa", "members", "ratings")
        for path in (ROOT / room).rglob("*.py")
        if "StreamingHttpResponse(" in path.read_text()
    }
    assert found == {"foa/files.py"}


def written(name, rows):
    """The bytes of these rows in a format."""
    return b"".join(FORMATS[name].pieces(table(rows)))


def sheet(data):
    """The sheet of an XLSX file, as another program reads it."""
    return load_workbook(io.BytesIO(data))["List"]


def test_csv_and_json_keep_text_numbers_exact_numbers_and_nothing():
    assert written("csv", ROWS).decode() == ('name,rating,exact\r\n"Ödman, ""Jr""",1800,1799.60\r\n,,\r\n')
    assert written("json", ROWS).decode() == (
        '{"category":"blitz",\n"month":null,\n"members":[\n'
        '{"name":"Ödman, \\"Jr\\"","rating":1800,"exact":"1799.60"},\n'
        '{"name":"","rating":null,"exact":null}\n]}\n'
    )
    assert written("json", []) == b'{"category":"blitz",\n"month":null,\n"members":[\n]}\n'


def test_a_sheet_has_a_bold_header_in_sight_and_numbers_that_are_numbers():
    read = sheet(written("xlsx", ROWS))
    assert list(read.values) == [("Name", "Rating", "Exact"), ('Ödman, "Jr"', 1800, 1799.6)]
    assert [cell.data_type for cell in read[2]] == ["s", "n", "n"]
    assert read["C2"].number_format == "0.00"
    assert (read["A1"].font.bold, read["A2"].font.bold, read.freeze_panes) == (True, False, "A2")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\r=1"])
def test_text_that_a_spreadsheet_would_calculate_is_text_there_and_untouched_in_json(text):
    rows = [(text, -5, Decimal("-0.10"))]
    cells = written("csv", rows).decode().split("\r\n", 1)[1].removesuffix("\r\n")
    assert cells in (f"'{text},-5,-0.10", f'"\'{text}",-5,-0.10')
    name, *numbers = sheet(written("xlsx", rows))[2]
    assert (name.value.replace("_x000D_", "\r"), name.data_type) == (f"'{text}", "s")
    assert [cell.value for cell in numbers] == [-5, -0.1]
    assert f'"name":"{text}"'.replace("\t", "\\t").replace("\r", "\\r") in written("json", rows).decode()


def test_a_sheet_is_dated_to_the_moment_of_its_list():
    dated = load_workbook(io.BytesIO(written("xlsx", ROWS))).properties
    assert (dated.created, dated.modified) == (datetime(2026, 4, 1), datetime(2026, 4, 1))


def test_text_that_looks_like_something_else_stays_text():
    rows = [("007", 1, None), ("https://example.org/", 1, None), ("{=1}", 1, None), (" 1 ", 1, None)]
    assert [row[0] for row in sheet(written("xlsx", rows)).values][1:] == [row[0] for row in rows]


@pytest.mark.parametrize("name", FORMATS)
def test_the_bytes_depend_on_the_rows_not_on_the_day_or_the_place(name, monkeypatch):
    first = written(name, ROWS)
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    mask = os.umask(0)
    try:
        assert written(name, ROWS) == first
    finally:
        os.umask(mask)
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("name", ["csv", "json"])
def test_a_file_is_sent_while_its_rows_are_read(name):
    read = 0

    def rows():
        nonlocal read
        for number in range(5_000):
            read += 1
            yield f"n{number}", number, None

    pieces = FORMATS[name].pieces(table(rows()))
    assert read == 0
    next(pieces)
    assert read <= 1_000
    assert len(list(islice(pieces, 2))) == 2
    assert read <= 3_000


def test_a_sheet_of_four_times_the_rows_takes_no_more_memory():
    def peak(size):
        tracemalloc.start()
        for _piece in FORMATS["xlsx"].pieces(table((f"n{number}", number, None) for number in range(size))):
            pass
        _now, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(8_000) <= 1.3 * peak(2_000)


@pytest.mark.django_db
def test_more_rows_than_a_sheet_has_are_refused_before_one_is_read(monkeypatch):
    def rows():
        raise AssertionError
        yield

    member("anna")
    member("bob")
    monkeypatch.setattr(files, "XLSX_ROWS", 1)
    with pytest.raises(BadRequest, match=r"^An XLSX sheet holds 1 rows, and this list has more"):
        FORMATS["xlsx"].pieces(table(rows(), Member.objects.all()))
    monkeypatch.setattr(files, "XLSX_ROWS", 2)
    assert b"".join(FORMATS["xlsx"].pieces(table(ROWS, Member.objects.all())))


def test_a_fault_in_the_rows_of_a_sheet_leaves_no_file_behind(monkeypatch, tmp_path):
    def rows():
        yield ROWS[0]
        raise ConnectionError

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ConnectionError):
        FORMATS["xlsx"].pieces(table(rows()))
    assert list(tmp_path.iterdir()) == []
    pieces = FORMATS["xlsx"].pieces(table(ROWS))
    assert b"".join(pieces)
    assert list(tmp_path.iterdir()) == []
    assert pieces.filelike.closed
