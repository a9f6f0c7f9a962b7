"""Conversion of the seven raw parts of each row to players, for both TXT and XML.

Many rows are read at once, column by column: nearly all parts have occurred before and are only looked up.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Generic, NamedTuple, TypeVar

from ratings.formats.frl.rows import fide_id, in_latin_letters, name
from ratings.formats.problems import Problem, Remark, readable
from ratings.rules.units import FideId

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE: Final = 1_000
"""Number of rows read together."""

_REMEMBERED: Final = 1 << 16
"""Maximum number of different texts remembered for a part, at most about 20 MB. The same few recur among 1.9
million players: for instance, there are some 20,000 different ratings with games and K."""

Part = tuple[str | int | None, ...] | None
"""The values of one part: the description, a rating or None, or birth and flag."""

PartReader = Callable[[bytes, list[str]], Part]
"""A function that reads a part. It adds a remark for each value left blank, and raises ValueError for a value
that decides a rating."""

Piece = tuple[Sequence[int], Sequence[R]]
"""Consecutive rows with their line numbers."""


class Players(NamedTuple, Generic[T]):
    """Consecutive players of a list, column by column.

    ``described``: federation, sex and the four kinds of titles. ``end``: year of birth and flag. The caller
    decides what these and the ratings are converted to.
    """

    lines: Sequence[int]
    fide_ids: Sequence[FideId]
    names: Sequence[str]
    described: Sequence[T]
    standard: Sequence[T]
    rapid: Sequence[T]
    blitz: Sequence[T]
    end: Sequence[T]


def itself(part: Part) -> Part:
    """Return a part unchanged."""
    return part


def no_rating(raw: bytes, remarks: list[str]) -> Part:
    """Return None, for a control that the list doesn't cover: its part is always empty."""
    return None


@dataclass(frozen=True)
class Parts(Generic[R]):
    """The functions that split rows and read each part.

    ``apart``: return the parts of several rows, column by column: ID, name, description, the ratings in the
    order of FideControl, birth and flag. Raises ValueError if one of the rows is faulty. ``alone``: return
    the same for one row, repaired if possible, with what was repaired; raises ValueError with the reason.
    ``decode``: decode a name. ``readers``: read the other parts, which many players share, in this order.
    """

    apart: Callable[[Sequence[R]], Sequence[Sequence[bytes]]]
    alone: Callable[[R], tuple[Sequence[bytes], list[str]]]
    decode: Callable[[bytes], str]
    readers: Sequence[PartReader]


class _Remembered(dict[bytes, T], Generic[T]):
    """A cache of converted parts, by their raw bytes in the file.

    ``functools.lru_cache`` takes 11 MB more for a list of FIDE, for an order of use that isn't needed here.
    """

    def __init__(self, read: PartReader, made: Callable[[Part], T]) -> None:
        super().__init__()
        self.read, self.made = read, made

    def __missing__(self, raw: bytes) -> T:
        remarks: list[str] = []
        part = self.read(raw, remarks)
        if remarks:
            # Not cached: each row that needs a remark is read alone.
            raise ValueError("; ".join(remarks))
        if len(self) >= _REMEMBERED:
            self.clear()
        value = self[raw] = self.made(part)
        return value


def pieces(rows: Iterator[tuple[int, R]]) -> Iterator[Piece[R]]:
    """Group numbered rows, AT_ONCE at a time."""
    while some := list(islice(rows, AT_ONCE)):
        yield [line for line, _ in some], [row for _, row in some]


def players(
    some: Iterable[Piece[R]], parts: Parts[R], made: Callable[[Part], T]
) -> Iterator[Players[T] | Remark | Problem]:
    """Yield the players in the rows.

    A player is followed by the :class:`Remark` objects for their row, if any. Each row left out is replaced
    by a :class:`Problem` with all its faults.
    """
    remembered = [_Remembered(read, made) for read in parts.readers]
    for lines, rows in some:
        yield from _read(lines, rows, parts, remembered, made)


def _read(
    lines: Sequence[int],
    rows: Sequence[R],
    parts: Parts[R],
    remembered: Sequence[_Remembered[T]],
    made: Callable[[Part], T],
) -> Iterator[Players[T] | Remark | Problem]:
    """Read rows together. If one is wrong, halve them until it is alone."""
    try:
        ids, printed, *others = parts.apart(rows)
        columns = (list(map(known.__getitem__, raws)) for known, raws in zip(remembered, others, strict=True))
        remarks: list[str] = []
        names = [name(parts.decode, raw, remarks) for raw in printed]
        if remarks:
            raise ValueError("; ".join(remarks))
        found = Players(lines, list(map(fide_id, ids)), names, *columns)
    except ValueError:
        if len(rows) == 1:
            yield from _alone(lines, rows[0], parts, made)
            return
        half = len(rows) // 2
        yield from _read(lines[:half], rows[:half], parts, remembered, made)
        yield from _read(lines[half:], rows[half:], parts, remembered, made)
    else:
        yield found


def _alone(
    lines: Sequence[int], row: R, parts: Parts[R], made: Callable[[Part], T]
) -> Iterator[Players[T] | Remark | Problem]:
    """Read a row that needs a remark or can't be accepted."""
    (line,) = lines
    try:
        (number, printed, *others), remarks = parts.alone(row)
    except ValueError as error:
        yield Problem(line, str(error))
        return
    called = name(parts.decode, printed, remarks)
    reasons, read_parts, identity = [], [], FideId(0)
    try:
        identity = fide_id(number)
    except ValueError as error:
        reasons.append(str(error))
    for read, raw in zip(parts.readers, others, strict=True):
        try:
            read_parts.append(read(raw, remarks))
        except ValueError as error:
            reasons.append(str(error))
    if reasons:
        fields = {"fide_id": readable(in_latin_letters(number)).strip(), "name": called}
        yield Problem(line, "; ".join(reasons), fields)
        return
    yield Players(lines, [identity], [called], *([made(part)] for part in read_parts))
    yield from (Remark(line, text, f"{called}, {identity}" if called else str(identity)) for text in remarks)
