"""CSV that is safe to open in a spreadsheet, for pages and commands alike."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, TextIO, cast

from django.http import StreamingHttpResponse

__all__ = ["csv_cell", "csv_pieces", "csv_response", "csv_writer"]


def csv_cell(text: str) -> str:
    """Text that a spreadsheet would take for a formula gets an apostrophe before it."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def csv_writer(stream: TextIO) -> Any:
    """RFC 4180: commas, double quotes where needed, CRLF."""
    return csv.writer(stream, lineterminator="\r\n")


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        """The text."""
        return text


def csv_pieces(columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The text of a CSV file of these rows with a header line, a thousand lines at a time."""
    writer = csv_writer(cast(TextIO, _Echo()))
    lines = map(writer.writerow, chain([columns], rows))
    # A piece for each line would cost whoever takes it more than the line.
    return iter(lambda: "".join(islice(lines, 1000)), "")


def csv_response(name: str, columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> StreamingHttpResponse:
    """A CSV file of these rows, UTF-8 with a header line, sent while it is made."""
    return StreamingHttpResponse(
        csv_pieces(columns, rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )
