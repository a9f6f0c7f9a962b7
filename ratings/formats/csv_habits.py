"""Habits of spreadsheets in a CSV file, noted to be said back: what columns are called, numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from ratings.formats.problems import shown

_BETWEEN: Final = re.compile(r"[\s_.-]+")
_DECIMAL_COMMA: Final = re.compile(r"[+-]?[0-9]{1,6},[0-9]{1,2}", re.ASCII)
_DAY_FIRST: Final = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}(?:[ T].*)?", re.ASCII)


def meant(names: Iterable[str], known: Collection[str]) -> list[str]:
    """Return what columns of a file are called here: “FIDE ID” is ``fide_id``; an unknown one stays."""
    plain = {_BETWEEN.sub("", one): one for one in known}
    lower = [name.lower() for name in names]
    return [one if one in known else plain.get(_BETWEEN.sub("", one), one) for one in lower]


class Habits:
    """What is usual in spreadsheets and not in the office's own files."""

    def __init__(self) -> None:
        self._renamed: list[tuple[str, str]] = []
        self._is_in_another_order = False
        self._has_commas = self._has_dates = False

    def note_header(self, written: Sequence[str], names: Sequence[str], expected: Sequence[str]) -> None:
        """How the columns are called in the file, what they are, and the order that a reader may expect."""
        self._renamed = [(one, name) for one, name in zip(written, names, strict=True) if one.lower() != name]
        there = [name for name in names if name in expected]
        self._is_in_another_order = there != [name for name in expected if name in there]

    def note_row(self, text: str, values: Iterable[str]) -> None:
        """A row: all of it, since few have such a value, and its values."""
        if not self._has_commas and "," in text:
            self._has_commas = any(map(_DECIMAL_COMMA.fullmatch, values))
        if not self._has_dates and text.count(".") > 1:
            self._has_dates = any(map(_DAY_FIRST.fullmatch, values))

    @property
    def of_values(self) -> str:
        """How values were read, each with a comma before it."""
        return ", decimal commas" * self._has_commas + ", dates as dd.mm.yyyy" * self._has_dates

    @property
    def of_columns(self) -> list[str]:
        """What is to be said of the header."""
        said = []
        if self._renamed:
            told = ", ".join(f"{shown(one)} is {name}" for one, name in self._renamed)
            said.append(f"columns renamed: {told}")
        if self._is_in_another_order:
            said.append("columns in another order")
        return said
