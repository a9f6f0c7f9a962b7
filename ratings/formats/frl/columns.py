"""From the seven raw parts of each row to the players; the same for TXT and XML.

Rows are read many at once, column by column: nearly all parts were seen before and are only looked up.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Generic, NamedTuple, TypeVar

from ratings.formats.frl.rows import PlayerRow, fide_id, fide_ids, in_latin_letters, name, names
from ratings.formats.problems import Problem, Remark, readable
from ratings.rules.units import FideId

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE: Final = 1_000
"""Rows that are read together."""

_REMEMBERED: Final = 1 << 16
"""How many different texts of a part are kept, some 20 MB at most. 1.9 million players have the same few over
and over, for instance some 20,000 different ratings with games and K."""

Part = tuple[str | int | None, ...] | None
"""What is read of a part: what describes the player, a rating or None, birth and flag."""

PartReader = Callable[[bytes, list[str]], Part]
"""Reads a part. What it leaves blank it adds to the remarks; raises ValueError for what decides a rating."""

Piece = tuple[Sequence[int], Sequence[R]]
"""Rows that follow one another, with their lines."""


class Players(NamedTuple, Generic[T]):
    """Players who stand in a list one after the other, column by column.

    ``described``: federation, sex and the four kinds of titles. ``end``: year of birth and flag. What is made
    of these and of the ratings is for the reader to say.
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
    """Of a part, nothing else is made."""
    return part


def no_rating(raw: bytes, remarks: list[str]) -> Part:
    """Of a control that the list is not of: its part is always empty."""
    return None


def one_by_one(some: Players[Part]) -> Iterator[PlayerRow]:
    """The players row by row."""
    for line, number, printed, described, *ratings, end in zip(*some, strict=True):
        yield PlayerRow._make((line, number, printed, *described, *ratings, *end))


@dataclass(frozen=True)
class Parts(Generic[R]):
    """How rows are taken apart and each part is read.

    ``apart``: the parts of some rows, column by column: ID, name, description, the ratings in the order of
    FideControl, birth and flag. Raises ValueError if one of the rows isn't what it should be. ``alone``: the
    same of one row that may be repaired, with what was repaired; raises ValueError with the reason.
    ``decode``: of a name.
    """

    apart: Callable[[Sequence[R]], Sequence[Sequence[bytes]]]
    alone: Callable[[R], tuple[Sequence[bytes], list[str]]]
    decode: Callable[[bytes], str]
    described: PartReader
    ratings: Sequence[PartReader]
    born_and_flag: PartReader

    @property
    def repeated(self) -> Sequence[PartReader]:
        """The readers of those that many players have in common."""
        return self.described, *self.ratings, self.born_and_flag


class _Remembered(dict[bytes, T], Generic[T]):
    """What is made of a part, by its bytes as they stand in the file: once, then looked up.

    A third faster than ``functools.lru_cache``, whose order of use nobody needs here.
    """

    def __init__(self, read: PartReader, made: Callable[[Part], T]) -> None:
        super().__init__()
        self.read, self.made = read, made

    def __missing__(self, raw: bytes) -> T:
        remarks: list[str] = []
        part = self.read(raw, remarks)
        if remarks:
            # Not remembered: each row that needs a remark is read alone.
            raise ValueError("; ".join(remarks))
        if len(self) >= _REMEMBERED:
            self.clear()
        value = self[raw] = self.made(part)
        return value


def pieces(rows: Iterator[tuple[int, R]]) -> Iterator[Piece[R]]:
    """Numbered rows, many at once."""
    while some := list(islice(rows, AT_ONCE)):
        yield [line for line, _ in some], [row for _, row in some]


def players(
    some: Iterable[Piece[R]], parts: Parts[R], made: Callable[[Part], T]
) -> Iterator[Players[T] | Remark | Problem]:
    """The players of the rows.

    After a player come the :class:`Remark` objects of their row, if any. For each row that is left out there
    is a :class:`Problem` with all that is wrong with it, in its place.
    """
    remembered = [_Remembered(read, made) for read in parts.repeated]
    for lines, rows in some:
        yield from _read(lines, rows, parts, remembered, made)


def _read(
    lines: Sequence[int],
    rows: Sequence[R],
    parts: Parts[R],
    remembered: Sequence[_Remembered[T]],
    made: Callable[[Part], T],
) -> Iterator[Players[T] | Remark | Problem]:
    """Rows of which one is wrong are halved until it stands alone."""
    try:
        ids, printed, *others = parts.apart(rows)
        columns = (list(map(known.__getitem__, raws)) for known, raws in zip(remembered, others, strict=True))
        found = Players(lines, fide_ids(ids), names(parts.decode, printed), *columns)
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
    """A row that needs a remark, or cannot be taken."""
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
    for read, raw in zip(parts.repeated, others, strict=True):
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
