"""CSV and XLSX that are safe to open in a spreadsheet, for pages and commands alike."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

_CAPITALS: Final = {"fide": "FIDE", "id": "ID", "k": "K", "url": "URL"}
"""How words of column names are written in headings, where not in lower case."""

_WIDE: Final = frozenset({"name", "username", "white", "black", "opponent", "event", "reason", "checksum"})
"""Columns that hold names and sentences."""


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


def heading(column: str) -> str:
    """Return the heading for people of a column of our files: "FIDE ID" of ``fide_id``."""
    words = " ".join(_CAPITALS.get(word, word) for word in column.split("_"))
    return words[:1].upper() + words[1:]


def xlsx_pieces(
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    created: datetime,
    about: Mapping[str, Cell] | None = None,
) -> Iterator[bytes]:
    """Return an XLSX file of these rows below headings that stay in sight; at most XLSX_ROWS.

    ``about``: what the list says of itself, on a second sheet.

    It is whole before this function returns, in a temporary file that vanishes with the last piece: an error
    in the rows is raised here, and memory stays flat. The same arguments give the same bytes.
    """
    # Here: it takes a tenth of the time in which a command starts, and few make a workbook.
    from xlsxwriter import Workbook

    file = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        with tempfile.TemporaryDirectory() as parts, Workbook(file, _options(parts)) as book:
            book.set_properties({"created": created.astimezone(UTC)})
            bold = book.add_format({"bold": True})
            sheet = book.add_worksheet("List")
            sheet.freeze_panes(1, 0)
            for number, name in enumerate(columns):
                sheet.set_column(number, number, 28 if name in _WIDE else max(10, len(name) + 2))
                sheet.write_string(0, number, heading(name), bold)
            exact = book.add_format({"num_format": "0.00"})
            for number, row in enumerate(rows, 1):
                for column, cell in enumerate(row):
                    if isinstance(cell, str | bool):
                        if text := _text(cell):
                            sheet.write_string(number, column, text)
                    elif cell is not None:
                        sheet.write_number(number, column, cell, exact if isinstance(cell, Decimal) else None)
            if facts := {name: value for name, value in (about or {}).items() if value is not None}:
                sheet = book.add_worksheet("About")
                sheet.set_column(0, 1, 28)
                for number, (name, value) in enumerate(facts.items()):
                    sheet.write_string(number, 0, heading(name), bold)
                    sheet.write_string(number, 1, csv_cell(str(value)))
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
