"""Spreadsheet habits found in a CSV file, to be reported: column names, numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from ratings.formats.problems import shown

_BETWEEN: Final = re.compile(r"[\s_.-]+")
_DECIMAL_COMMA: Final = re.compile(r"[+-]?[0-9]{1,6},[0-9]{1,2}", re.ASCII)
_DAY_FIRST: Final = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}(?:[ T].*)?", re.ASCII)


def meant(names: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the office's names for a file's columns: “FIDE ID” is ``fide_id``; unknown names are kept."""
    plain = {_BETWEEN.sub("", one): one for one in known}
    lower = [name.lower() for name in names]
    return [one if one in known else plain.get(_BETWEEN.sub("", one), one) for one in lower]


class Habits:
    """Spreadsheet habits in a file that the office's own files don't have."""

    def __init__(self) -> None:
        self._renamed: list[tuple[str, str]] = []
        self._is_in_another_order = False
        self._has_commas = self._has_dates = False

    def note_header(self, written: Sequence[str], names: Sequence[str], expected: Sequence[str]) -> None:
        """Note the column names as written, the office's names for them, and the expected order."""
        self._renamed = [(one, name) for one, name in zip(written, names, strict=True) if one.lower() != name]
        there = [name for name in names if name in expected]
        self._is_in_another_order = there != [name for name in expected if name in there]

    def note_row(self, text: str, values: Iterable[str]) -> None:
        """Note a row. Its whole text shows whether its values need a look: few rows have such values."""
        if not self._has_commas and "," in text:
            self._has_commas = any(map(_DECIMAL_COMMA.fullmatch, values))
        if not self._has_dates and text.count(".") > 1:
            self._has_dates = any(map(_DAY_FIRST.fullmatch, values))

    @property
    def of_values(self) -> str:
        """The forms in which values were read, each preceded by a comma."""
        return ", decimal commas" * self._has_commas + ", dates as dd.mm.yyyy" * self._has_dates

    @property
    def of_columns(self) -> list[str]:
        """Remarks about the header."""
        said = []
        if self._renamed:
            told = ", ".join(f"{shown(one)} is {name}" for one, name in self._renamed)
            said.append(f"columns renamed: {told}")
        if self._is_in_another_order:
            said.append("columns in another order")
        return said
