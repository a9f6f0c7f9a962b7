"""CSV and XLSX that are safe to open in a spreadsheet, for pages and commands alike."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from typing import Any, Final, TextIO, TypeAlias, cast
from wsgiref.util import FileWrapper

Cell: TypeAlias = str | int | Decimal | None
"""Text, a whole or an exact number, true or false (yes and no in a spreadsheet), or nothing."""

XLSX_ROWS: Final = 1_048_575
"""So many rows a sheet has below its header line; the format knows no more."""

FORMULA: Final = frozenset("=+-@\t\r\n＝＋－＠")
"""Beginnings of a text that a spreadsheet takes for a formula, some only after it has dropped a blank."""

_PIECE: Final = 1 << 16


def csv_cell(text: str) -> str:
    """Text that a spreadsheet would take for a formula gets an apostrophe before it."""
    return f"'{text}" if text[:1] in FORMULA else text


def csv_writer(stream: TextIO) -> Any:
    """RFC 4180: commas, double quotes where needed, CRLF."""
    return csv.writer(stream, lineterminator="\r\n")


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def csv_pieces(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """The text of a CSV file of these rows: its header line at once, for a download begins with it, then a
    thousand lines at a time.
    """
    writer = csv_writer(cast(TextIO, _Echo()))
    yield writer.writerow(columns)
    lines = map(writer.writerow, map(_harmless, rows))
    # A piece for each line would cost whoever takes it more than the line.
    yield from iter(lambda: "".join(islice(lines, 1000)), "")


def xlsx_pieces(columns: Sequence[str], rows: Iterable[Sequence[Cell]], created: datetime) -> Iterator[bytes]:
    """An XLSX file of these rows below a header line that stays in sight; at most XLSX_ROWS.

    It is whole before this function returns, in a temporary file that vanishes with the last piece: an error
    in the rows is raised here, and memory stays flat. The same rows and ``created`` give the same bytes.
    """
    # Here: it takes a tenth of the time in which a command starts, and few make a workbook.
    from xlsxwriter import Workbook

    file = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        with tempfile.TemporaryDirectory() as parts, Workbook(file, _options(parts)) as book:
            book.set_properties({"created": created.astimezone(UTC)})
            sheet = book.add_worksheet()
            sheet.freeze_panes(1, 0)
            sheet.write_row(0, 0, columns, book.add_format({"bold": True}))
            exact = book.add_format({"num_format": "0.00"})
            for number, row in enumerate(rows, 1):
                for column, cell in enumerate(row):
                    if isinstance(cell, str | bool):
                        if text := _text(cell):
                            sheet.write_string(number, column, text)
                    elif cell is not None:
                        sheet.write_number(number, column, cell, exact if isinstance(cell, Decimal) else None)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return _Pieces(file, _PIECE)


class _Pieces(FileWrapper):
    """A file piece by piece, closed after the last one, or before by whoever does not want them all."""

    def __next__(self) -> bytes:
        try:
            return super().__next__()
        except StopIteration:
            self.close()
            raise


def _harmless(row: Sequence[Cell]) -> Sequence[Cell]:
    for cell in row:
        if type(cell) is bool or (type(cell) is str and cell[:1] in FORMULA):
            return [_text(cell) if isinstance(cell, str | bool) else cell for cell in row]
    return row


def _text(cell: str | bool) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return csv_cell(cell)


def _options(directory: str) -> dict[str, object]:
    """Each row leaves memory when the next one begins; the parts of the file wait in this directory."""
    return {"constant_memory": True, "tmpdir": directory}
