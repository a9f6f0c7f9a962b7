"""What a reader says about a row, or a whole file, that it cannot take. The words are for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final, NamedTuple

UNREADABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffd]")
"""Control characters, bytes that are no UTF-8 (decoded with ``surrogateescape``), and the replacement
character by which :func:`readable` has marked such a place in an earlier file of refused rows."""

_SHOWN = 40


class FileRefused(Exception):
    """The file as a whole cannot be read: empty, the wrong columns, or not what its name says.

    The message names the line and what to do.
    """


class Fault(NamedTuple):
    """One thing that is wrong: in which column or field, what, and the article that says so, if one does.

    ``option``: of the import, with which the row would be taken; ``about``: the name that it would be given
    for.
    ``contradicts``: each of two fields can be read, but not both can be true.
    """

    field: str
    text: str
    article: str = ""
    option: str = ""
    about: str = ""
    contradicts: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that was not taken.

    ``line``: where it begins in the file, counted from 1. ``reason``: what is wrong and what is expected.
    ``fields``: the row as read, empty if it could not be taken apart; always fit to be written as UTF-8.
    ``faults``: the reason in its parts, of games and boards.
    """

    line: int
    reason: str
    fields: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    @classmethod
    def of(cls, line: int, faults: Iterable[Fault], fields: Mapping[str, str]) -> Problem:
        """A row with these faults."""
        faults = tuple(faults)
        return cls(line, "; ".join(map(str, faults)), fields, faults)

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Remark:
    """What was repaired or left out of a row that was taken, or what is worth saying of the whole file.

    ``line``: where the row begins, counted from 1; 0 for the file. ``who``: the player, or "".
    """

    line: int
    text: str
    who: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.text}{f' ({self.who})' if self.who else ''}"


def readable(text: str) -> str:
    """The text with U+FFFD for every control character and every byte that is no UTF-8."""
    return UNREADABLE.sub("\ufffd", text)


def file_name(path: str) -> str:
    """Return the name of a file, as it is stored and shown: without its directories."""
    return readable(PurePath(path).name)[-255:]


def shown(value: str) -> str:
    """A value as a message quotes it: readable, and no longer than 40 characters."""
    cut = value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
    return f"“{readable(cut)}”"
