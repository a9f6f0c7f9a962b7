"""Problems, which refuse a row or a file, and remarks on what was read differently than it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final, NamedTuple

UNREADABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffd]")
"""Control characters, bytes that aren't UTF-8 (decoded with ``surrogateescape``), and the replacement
character with which :func:`readable` marked such a place in an earlier file of refused rows."""

_SHOWN = 40


class FileRefused(Exception):
    """An error for a file that can't be read as a whole: empty, wrong columns, or not what its name says.

    The message names the line and says what to do.
    """


class Fault(NamedTuple):
    """A single fault: its column or field, its text, and the article that it breaks, if any.

    ``option``: the import option that would accept the row; ``about``: the name to give with it.
    ``contradicts``: two fields can each be read, but can't both be true. ``line``: of a file, or 0.
    """

    field: str
    text: str
    article: str = ""
    option: str = ""
    about: str = ""
    contradicts: bool = False
    line: int = 0

    def __str__(self) -> str:
        return self.text


class AtLine(str):
    """A text that is about a line of a file, which it names."""

    line: int

    def __new__(cls, text: str, line: int) -> AtLine:
        found = super().__new__(cls, text)
        found.line = line
        return found


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that wasn't accepted.

    ``line``: where it begins in the file, counted from 1. ``reason``: what is wrong and what is expected.
    ``fields``: the row as read, empty if it couldn't be split; always valid as UTF-8. ``faults``: the parts
    of the reason, for games and boards. ``beyond``: values after the last column, or the lines of a row that
    couldn't be split.
    """

    line: int
    reason: str
    fields: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    beyond: tuple[str, ...] = ()

    def cells(self, columns: Iterable[str]) -> tuple[str | int, ...]:
        """Return the row of a file of refused rows: these columns, line, reason, and what has no column."""
        return (*(self.fields.get(column, "") for column in columns), self.line, self.reason, *self.beyond)

    @classmethod
    def of(cls, line: int, faults: Iterable[Fault], fields: Mapping[str, str]) -> Problem:
        """Build a problem for a row with these faults."""
        faults = tuple(faults)
        return cls(line, "; ".join(map(str, faults)), fields, faults)

    @property
    def at_line(self) -> AtLine:
        """The text, with the line as a number, too."""
        return AtLine(str(self), self.line)

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Remark:
    """A note on what was repaired or left out of an accepted row, or on the whole file.

    ``line``: where the row begins, counted from 1; 0 for the file. ``who``: the player, or "".
    """

    line: int
    text: str
    who: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.text}{f' ({self.who})' if self.who else ''}"


def readable(text: str) -> str:
    """Replace every control character and every byte that isn't UTF-8 with U+FFFD."""
    return UNREADABLE.sub("\ufffd", text)


def file_name(path: str) -> str:
    """Return a file's name without its directories, as it is stored and shown."""
    return readable(PurePath(path).name)[-255:]


def shown(value: str) -> str:
    """Return a value as messages quote it: readable, and no longer than 40 characters."""
    cut = value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
    return f"“{readable(cut)}”"


@dataclass(slots=True)
class Findings:
    """Everything reported about one file."""

    problems: list[Problem] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def refuse(self, line: int, reason: str) -> None:
        """Report a fault that makes the file unfit to be rated."""
        self.problems.append(Problem(line, reason))

    def remark(self, line: int, text: str) -> None:
        """Report what was read differently from what is written, or was ignored."""
        self.remarks.append(Remark(line, text))
