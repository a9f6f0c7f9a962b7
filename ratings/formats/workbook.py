"""A workbook (XLSX) of one sheet, made the CSV file that a spreadsheet program would save it as.

Cells say what they are, so numbers and dates come as the office writes them: 1799.6, 2026-01-31. Formulas are
read by the values that were saved with them, and nothing is calculated here.
"""

from __future__ import annotations

import csv
import io
import re
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import IO, Any, BinaryIO, Final, NamedTuple, cast

from ratings.formats.problems import FileRefused, shown

MOST_BYTES: Final = 100_000_000
"""Bytes of all parts of a workbook, unpacked."""

MOST_ROWS: Final = 200_000
MOST_COLUMNS: Final = 100

_MOST_PARTS: Final = 10_000
_LAST_ROW: Final = 1 << 20
"""The last row that a sheet can have."""

_SAVE: Final = "or save the sheet as CSV"
_DAMAGED: Final = f"the workbook is damaged: open it in a spreadsheet program, {_SAVE}"
_SHEET: Final = re.compile(r"xl/worksheets/[^/]+\.xml\Z")
_ROW_END: Final = b"</row>"
_PIECE: Final = 1 << 20
_LINE_ENDS: Final = re.compile(r"[\r\n]+")
_HALF_A_SECOND: Final = timedelta(milliseconds=500)


class Sheet(NamedTuple):
    """The only sheet of a workbook that has anything in it: its name, and the same as CSV in UTF-8.

    Row 7 of the sheet is line 7.
    """

    name: str
    stream: BinaryIO


def is_workbook(stream: BinaryIO) -> bool:
    """Return whether it is an XLSX file, with macros or without; the stream stays where it was."""
    start = stream.tell()
    try:
        if stream.read(4) != b"PK\x03\x04":
            return False
        stream.seek(start)
        with zipfile.ZipFile(stream) as parts:
            return "xl/workbook.xml" in parts.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error):
        # A damaged archive, in one of the ways in which zipfile says so.
        return False
    finally:
        stream.seek(start)


@contextmanager
def read_sheet(stream: BinaryIO) -> Iterator[Sheet]:
    """The sheet of a workbook. Raises FileRefused with what stands against reading it."""
    _check_parts(stream)
    with tempfile.TemporaryFile() as kept:
        try:
            # What a workbook has beside its cells is no concern of whoever imports it.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                name = _read(stream, kept)
        except FileRefused:
            raise
        except Exception as error:
            # The library reads whatever claims to be a workbook, and can fail in any way over a damaged one.
            raise FileRefused(_DAMAGED) from error
        kept.seek(0)
        yield Sheet(name, cast(BinaryIO, kept))


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
    """Count the ends of rows, which takes a twentieth of the time in which rows are read."""
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


def _read(stream: BinaryIO, kept: IO[bytes]) -> str:
    """Write the sheet as CSV; its name."""
    # Here: few read a workbook, and every command would wait for it to be loaded.
    from openpyxl import load_workbook

    # Opened twice: a formula has either its text or the value that was saved with it.
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
        csv.writer(text, lineterminator="\n").writerows(_lines(values[name], formulas[name]))
    text.detach()
    return filled[0] if filled else ""


def _rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """The cells of each row, as far as it goes. Raises FileRefused for a row that no sheet can have."""
    # What a file says of its own size may be wrong.
    sheet.reset_dimensions()
    for number, cells in enumerate(sheet.iter_rows(), 1):
        # The library makes an empty row of each that a file passes over, however far it goes.
        if number > _LAST_ROW:
            raise FileRefused(f"the sheet has a row after {_LAST_ROW:,}, the last one possible: {_SAVE[3:]}")
        yield cells


def _has_text(cells: Iterable[Any]) -> bool:
    return any(cell.value is not None for cell in cells)


def _lines(values: Any, formulas: Any) -> Iterator[list[str]]:
    """The fields of each row, at least as many as the header has."""
    width = 0
    for number, (cells, written) in enumerate(zip(_rows(values), _rows(formulas), strict=True), 1):
        for cell, formula in zip(cells, written, strict=True):
            if cell.value is None and formula.value is not None:
                raise FileRefused(
                    f"cell {formula.coordinate} has a formula without a value: open the workbook in a "
                    f"spreadsheet program and save it there, {_SAVE}"
                )
            if cell.value is not None and cell.data_type == "e":
                raise FileRefused(f"cell {cell.coordinate} has the error {cell.value}: mend it, {_SAVE}")
        fields = [_text(cell) for cell in cells]
        while fields and not fields[-1]:
            fields.pop()
        if fields and number > MOST_ROWS:
            raise _too_many_rows()
        if len(fields) > MOST_COLUMNS:
            raise FileRefused(f"row {number} of the sheet has more than {MOST_COLUMNS} columns")
        width = width or len(fields)
        yield [*fields, *islice(iter(str, None), width - len(fields))] if fields else []


def _text(cell: Any) -> str:
    """A cell as the office writes its value. A line break within it, as in a header, is a blank."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        # As a spreadsheet shows it: behind these digits stands what the sum of two fractions left.
        return format(value, ".15g")
    if isinstance(value, datetime):
        return _moment(value + _HALF_A_SECOND, str(cell.number_format).lower())
    if isinstance(value, date | time):
        return value.isoformat()
    return _LINE_ENDS.sub(" ", str(value))


def _moment(value: datetime, number_format: str) -> str:
    """A moment to the second, a date, or a month, as the cell shows it."""
    if "h" in number_format or (value.hour, value.minute, value.second) != (0, 0, 0):
        return value.replace(microsecond=0).isoformat()
    return f"{value:%Y-%m-%d}" if "d" in number_format else f"{value:%Y-%m}"
