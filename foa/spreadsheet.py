"""CSV and XLSX files that are safe to open in a spreadsheet, for pages and commands."""

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
"""Text, a whole or exact number, a boolean (“yes” or “no” in the file), or nothing."""

XLSX_ROWS: Final = 1_048_575
"""Maximum number of rows below the header line of a sheet, set by the format."""

FORMULA: Final = frozenset("=+-@\t\r\n＝＋－＠")
"""First characters that make a spreadsheet read text as a formula; some only after it strips a blank."""

_PIECE: Final = 1 << 16

_CAPITALS: Final = {"fide": "FIDE", "id": "ID", "k": "K", "url": "URL"}
"""Words of column names that headings don't write in lower case."""

_WIDE: Final = frozenset({"name", "username", "white", "black", "opponent", "event", "reason", "checksum"})
"""Columns with names or sentences, which need more width."""


def csv_cell(text: str) -> str:
    """Return the text, with an apostrophe before it if a spreadsheet would read it as a formula."""
    return f"'{text}" if text[:1] in FORMULA else text


def csv_writer(stream: TextIO) -> Any:
    """Return a CSV writer for RFC 4180: commas, double quotes where needed, CRLF."""
    return csv.writer(stream, lineterminator="\r\n")


class _Echo:
    """File whose ``write`` returns the text."""

    def write(self, text: str) -> str:
        return text


def csv_pieces(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Yield the text of a CSV file: the header line at once, so that the download starts, then 1000 lines a
    piece.
    """
    writer = csv_writer(cast(TextIO, _Echo()))
    yield writer.writerow(columns)
    lines = map(writer.writerow, map(_harmless, rows))
    # Sending each line by itself would cost more than making it.
    yield from iter(lambda: "".join(islice(lines, 1000)), "")


def heading(column: str) -> str:
    """Return the heading for a column of our files: "FIDE ID" for ``fide_id``."""
    words = " ".join(_CAPITALS.get(word, word) for word in column.split("_"))
    words = words.replace("sonneborn berger", "Sonneborn-Berger").replace("buchholz cut", "Buchholz Cut")
    return words[:1].upper() + words[1:]


def xlsx_pieces(
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    created: datetime,
    about: Mapping[str, Cell] | None = None,
) -> Iterator[bytes]:
    """Return the pieces of an XLSX file of at most XLSX_ROWS rows, with frozen headings.

    ``about``: facts about the list, for a second sheet.

    The file is complete before this function returns, in a temporary file that is deleted after the last
    piece: errors in the rows are raised here, and memory stays flat. The same arguments give the same bytes.
    """
    # Imported here: it takes a tenth of a command's start-up time, and few commands make a workbook.
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
    """File in pieces, closed after the last one, or earlier by the caller."""

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
    """Return options that free each row once it is written, with temporary parts in ``directory``."""
    return {"constant_memory": True, "tmpdir": directory}
