"""Habits of spreadsheets, alone and together: the same rows, and what was understood is said back."""

import io
from itertools import product

import pytest

from ratings.formats.csv_rows import read_rows

COLUMNS = ("username", "rating", "effective_at", "birth_year")
PLAIN = [("anna", "1799.60", "2026-01-31", "1990"), ("łucja", "-12.40", "2026-02-01", "")]


def read(content):
    rows = read_rows(io.BytesIO(content), required=COLUMNS)
    return [tuple(row.values[name] for name in COLUMNS) for row in rows], rows.read_as


def in_file(header, rows, separator=",", encoding="utf-8"):
    quoted = ([f'"{cell}"' if separator in cell else cell for cell in row] for row in (header, *rows))
    return "".join(separator.join(row) + "\r\n" for row in quoted).encode(encoding)


@pytest.mark.parametrize(
    ("separator", "encoding"),
    list(product(";\t,", ("utf-8", "utf-8-sig", "utf-16", "cp1250"))),
)
def test_separator_and_encoding_are_found_and_said_back(separator, encoding):
    rows, how = read(in_file(COLUMNS, PLAIN, separator, encoding))
    named = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8 with BOM", "utf-16": "UTF-16", "cp1250": "Windows-1250"}
    told = {",": "comma", ";": "semicolon", "\t": "tab"}[separator]
    assert rows == PLAIN
    assert how == f"{told}-separated, {named[encoding]}"


def test_decimal_commas_are_said_back():
    rows, how = read(in_file(COLUMNS, [("anna", "1799,6", "2026-01-31", "")], ";"))
    assert rows[0][1] == "1799,6"
    assert how == "semicolon-separated, UTF-8, decimal commas"


def test_a_name_with_a_comma_is_no_decimal_comma():
    assert read(in_file(COLUMNS, [("Berg, Anna", "1", "", "")], ";"))[1] == "semicolon-separated, UTF-8"


@pytest.mark.parametrize("text", ["31.01.2026", "1.2.2026", "31.01.2026 18:30"])
def test_dates_with_dots_are_said_back(text):
    assert read(in_file(COLUMNS, [("anna", "1", text, "")]))[1].endswith("UTF-8, dates as dd.mm.yyyy")


@pytest.mark.parametrize("text", ["https://arena.example.org/1", "1.2.3", "v1.2.2026x"])
def test_other_dots_are_no_dates(text):
    assert read(in_file(COLUMNS, [("anna", "1", text, "")]))[1] == "comma-separated, UTF-8"


@pytest.mark.parametrize("name", ["Birth year", "BIRTH_YEAR", "birth-year", "BirthYear", " birth  year "])
def test_a_header_may_be_written_as_people_do(name):
    rows, how = read(in_file((*COLUMNS[:3], name), PLAIN))
    assert rows == PLAIN
    renamed = name.strip().lower() != "birth_year"
    assert how == "comma-separated, UTF-8" + f"; columns renamed: “{name.strip()}” is birth_year" * renamed


def test_columns_in_another_order_are_said_back():
    rows, how = read(in_file(COLUMNS[::-1], [row[::-1] for row in PLAIN]))
    assert rows == PLAIN
    assert how == "comma-separated, UTF-8; columns in another order"


def test_all_habits_together():
    header = ("Birth year", "Username", "EFFECTIVE AT", "Rating")
    rows = [("1990", "Żółć", "31.01.2026", "1799,60")]
    read_rows_, how = read(in_file(header, rows, ";", "cp1250"))
    assert read_rows_ == [("Żółć", "1799,60", "31.01.2026", "1990")]
    assert how == (
        "semicolon-separated, Windows-1250, decimal commas, dates as dd.mm.yyyy; "
        "columns renamed: “Birth year” is birth_year, “EFFECTIVE AT” is effective_at; "
        "columns in another order"
    )
