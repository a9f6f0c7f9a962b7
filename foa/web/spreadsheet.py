"""CSV that is safe to open in a spreadsheet, for pages and commands alike."""

from __future__ import annotations

import csv
from typing import Any, TextIO

__all__ = ["csv_cell", "csv_writer"]


def csv_cell(text: str) -> str:
    """Text that a spreadsheet would take for a formula gets an apostrophe before it."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def csv_writer(stream: TextIO) -> Any:
    """RFC 4180: commas, double quotes where needed, CRLF."""
    return csv.writer(stream, lineterminator="\r\n")
