"""A workbook (XLSX) of one sheet, converted to the CSV file that a spreadsheet program would save.

Cells have types, so numbers and dates come out in the office's notation: 1799.6, 2026-01-31. Formulas are
read by their saved values; nothing is calculated here.
"""

from __future__ import annotations

import csv
import io
import re
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import IO, Any, BinaryIO, Final, NamedTuple, cast

from ratings.formats.lines import ARCHIVE
from ratings.formats.problems import FileRefused, shown

MOST_BYTES: Final = 100_000_000
"""Maximum unpacked size in bytes of all parts of a workbook."""

MOST_ROWS: Final = 200_000
MOST_COLUMNS: Final = 100

_MOST_PARTS: Final = 10_000
_LAST_ROW: Final = 1 << 20
"""The last possible row of a sheet."""

_SAVE: Final = "or save the sheet as CSV"
REPAIR: Final = f"open it in a spreadsheet program, {_SAVE}"
"""Advice about a damaged workbook."""

_DAMAGED: Final = f"the workbook is damaged: {REPAIR}"
_SHEET: Final = re.compile(r"xl/worksheets/[^/]+\.xml\Z")
_ROW_END: Final = b"</row>"
_PIECE: Final = 1 << 20
_LARGEST_EXACT: Final = 10**15
"""Spreadsheet programs keep 15 digits of a number."""
_LINE_ENDS: Final = re.compile(r"[\r\n]+")
_HALF_A_SECOND: Final = timedelta(milliseconds=500)


TextColumns = Callable[[Sequence[str]], Mapping[int, bool]]
"""Function that returns the places of a header's columns that must have text. True: or a whole number."""


class Sheet(NamedTuple):
    """The only sheet of a workbook that contains data: its name, and its contents as CSV in UTF-8.

    Row 7 of the sheet is line 7. ``not_text``: by row and place, what is wrong with a cell that needs text.
    """

    name: str
    stream: BinaryIO
    not_text: Mapping[int, Mapping[int, str]]


def is_workbook(stream: BinaryIO) -> bool:
    """Return whether it is an XLSX file, with or without macros; the stream keeps its position."""
    start = stream.tell()
    try:
        if stream.read(len(ARCHIVE)) != ARCHIVE:
            return False
        stream.seek(start)
        with zipfile.ZipFile(stream) as parts:
            return "xl/workbook.xml" in parts.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error):
        # A damaged archive, reported in one of zipfile's various ways.
        return False
    finally:
        stream.seek(start)


@contextmanager
def read_sheet(stream: BinaryIO, text_columns: TextColumns = lambda header: {}) -> Iterator[Sheet]:
    """Open the sheet of a workbook; raises FileRefused with the reason if it can't be read."""
    _check_parts(stream)
    not_text: dict[int, dict[int, str]] = {}
    with tempfile.TemporaryFile() as kept:
        try:
            # Warnings about anything besides cells don't concern the person importing.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                name = _read(stream, kept, text_columns, not_text)
        except FileRefused:
            raise
        except Exception as error:
            # The library reads anything that claims to be a workbook, and can fail in any way on a damaged
            # one.
            raise FileRefused(_DAMAGED) from error
        kept.seek(0)
        yield Sheet(name, cast(BinaryIO, kept), not_text)


def _check_parts(stream: BinaryIO) -> None:
    start = stream.tell()
    with zipfile.ZipFile(stream) as parts:
        infos = parts.infolist()
        if any(info.filename.endswith("vbaProject.bin") for info in infos):
            raise FileRefused("the workbook has macros: save it as .xlsx, " + _SAVE)
        if len(infos) > _MOST_PARTS or sum(info.file_size for info in infos) > MOST_BYTES:
            size = MOST_BYTES // 1_000_000
            raise FileRefused(f"the workbook is larger than {size} MB unpacked: {_SAVE[3:]}")
        if any(_has_too_many_rows(parts, info) for info in infos if _SHEET.match(info.filename)):
            raise _too_many_rows()
    stream.seek(start)


def _too_many_rows() -> FileRefused:
    return FileRefused(f"the sheet has more than {MOST_ROWS:,} rows: {_SAVE[3:]}")


def _has_too_many_rows(parts: zipfile.ZipFile, sheet: zipfile.ZipInfo) -> bool:
    """Count the row ends, which takes a twentieth of the time needed to read the rows."""
    number, before = 0, b""
    try:
        with parts.open(sheet) as part:
            while piece := part.read(_PIECE):
                text = before + piece
                number += text.count(_ROW_END)
                before = text[1 - len(_ROW_END) :]
    except Exception as error:
        raise FileRefused(_DAMAGED) from error
    return number > MOST_ROWS


def _read(
    stream: BinaryIO, kept: IO[bytes], text_columns: TextColumns, not_text: dict[int, dict[int, str]]
) -> str:
    """Write the sheet as CSV, note cells that must have text and haven't, and return its name."""
    # Imported here, because few files are workbooks and every command would wait for the import.
    from openpyxl import load_workbook

    # Opened twice: a formula cell gives either its text or its saved value.
    books = [
        load_workbook(stream, read_only=True, data_only=values, keep_links=False) for values in (True, False)
    ]
    values, formulas = ({sheet.title: sheet for sheet in book.worksheets} for book in books)
    filled = [name for name, sheet in formulas.items() if any(map(_has_text, _rows(sheet)))]
    if len(filled) > 1:
        names = ", ".join(map(shown, filled[:5]))
        raise FileRefused(
            f"the workbook has {len(filled)} sheets with data ({names}): keep one of them, {_SAVE}"
        )
    text = io.TextIOWrapper(kept, encoding="utf-8", errors="surrogatepass", newline="")
    for name in filled:
        csv.writer(text, lineterminator="\n").writerows(
            _lines(values[name], formulas[name], text_columns, not_text)
        )
    text.detach()
    return filled[0] if filled else ""


def _rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the cells of each row, with gaps. Raises FileRefused for a row that no sheet can have."""
    # The file's own statement of its size may be wrong.
    sheet.reset_dimensions()
    for number, cells in enumerate(sheet.iter_rows(), 1):
        # The library adds an empty row for each one that the file skips, without limit.
        if number > _LAST_ROW:
            raise FileRefused(f"the sheet has a row after {_LAST_ROW:,}, the last one possible: {_SAVE[3:]}")
        yield cells


def _has_text(cells: Iterable[Any]) -> bool:
    return any(cell.value is not None for cell in cells)


def _lines(
    values: Any, formulas: Any, text_columns: TextColumns, not_text: dict[int, dict[int, str]]
) -> Iterator[list[str]]:
    """Yield the fields of each row, at least as many as the header has."""
    width = 0
    texts: Mapping[int, bool] = {}
    for number, (cells, written) in enumerate(zip(_rows(values), _rows(formulas), strict=True), 1):
        for cell, formula in zip(cells, written, strict=True):
            if cell.value is None and formula.value is not None:
                raise FileRefused(
                    f"cell {formula.coordinate} has a formula without a value: open the workbook in a "
                    f"spreadsheet program and save it there, {_SAVE}"
                )
            if cell.value is not None and cell.data_type == "e":
                raise FileRefused(f"cell {cell.coordinate} has the error {cell.value}: correct it, {_SAVE}")
        fields = [_text(cell) for cell in cells]
        while fields and not fields[-1]:
            fields.pop()
        if fields and number > MOST_ROWS:
            raise _too_many_rows()
        if len(fields) > MOST_COLUMNS:
            raise FileRefused(f"row {number} of the sheet has more than {MOST_COLUMNS} columns")
        if not width:
            width, texts = len(fields), text_columns(fields)
        for place, or_number in texts.items():
            if place < len(fields) and (fault := _why_not_text(cells[place], or_number)):
                not_text.setdefault(number, {})[place] = fault
        yield [*fields, *islice(iter(str, None), width - len(fields))] if fields else []


def _why_not_text(cell: Any, or_number: bool) -> str:
    """Return what is wrong with a cell that must have text, or "". ``or_number``: or a whole number.

    A spreadsheet program makes dates of 1-2 and 1/2, and takes zeros and digits from numbers such as 007.
    """
    value = cell.value
    if value is None or isinstance(value, str):
        return ""
    if isinstance(value, bool):
        found = str(value).upper()
    elif isinstance(value, int | float):
        if or_number and value == int(value) and abs(value) < _LARGEST_EXACT:
            return ""
        found = f"the number {_text(cell)}"
    else:
        found = f"the {'time' if isinstance(value, time) else 'date'} {_text(cell)}"
    advice = "format the column as text, and enter it again"
    return f"cell {cell.coordinate} has {found} instead of text: {advice}"


def _text(cell: Any) -> str:
    """Return a cell's value in the office's notation. Line breaks in it, as in headers, become blanks."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        # Shown as spreadsheets show it: later digits are only rounding errors of sums.
        return format(value, ".15g")
    if isinstance(value, datetime):
        return _moment(value + _HALF_A_SECOND, str(cell.number_format).lower())
    if isinstance(value, date | time):
        return value.isoformat()
    return _LINE_ENDS.sub(" ", str(value))


def _moment(value: datetime, number_format: str) -> str:
    """Return a moment to the second, a date or a month, as the cell shows it."""
    if "h" in number_format or (value.hour, value.minute, value.second) != (0, 0, 0):
        return value.replace(microsecond=0).isoformat()
    return f"{value:%Y-%m-%d}" if "d" in number_format else f"{value:%Y-%m}"
