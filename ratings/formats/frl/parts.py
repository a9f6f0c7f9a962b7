"""From the seven raw parts of each row to the players; the same for TXT and XML.

Rows are read many at once, column by column: nearly all parts were seen before and are only looked up.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Generic, NamedTuple, TypeVar

from ratings.formats.frl.rows import PlayerRow, fide_id, fide_ids, in_latin_letters, names
from ratings.formats.problems import Problem, readable
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


def no_rating(raw: bytes) -> Part:
    """Of a control that the list is not of: its part is always empty."""
    return None


def one_by_one(some: Players[Part]) -> Iterator[PlayerRow]:
    """The players row by row."""
    for line, number, name, described, *ratings, end in zip(*some, strict=True):
        yield PlayerRow._make((line, number, name, *described, *ratings, *end))


@dataclass(frozen=True)
class Parts(Generic[R]):
    """How rows are taken apart and each part is read; all raise ValueError with what is wrong.

    ``apart``: the parts of some rows, column by column: ID, name, description, the ratings in the order of
    FideControl, birth and flag.
    """

    apart: Callable[[Sequence[R]], Sequence[Sequence[bytes]]]
    name: Callable[[bytes], str]
    described: Callable[[bytes], Part]
    ratings: Sequence[Callable[[bytes], Part]]
    born_and_flag: Callable[[bytes], Part]

    @property
    def repeated(self) -> Sequence[Callable[[bytes], Part]]:
        """The readers of those that many players have in common."""
        return self.described, *self.ratings, self.born_and_flag


class _Remembered(dict[bytes, T], Generic[T]):
    """What is made of a part, by its bytes as they stand in the file: once, then looked up.

    A third faster than ``functools.lru_cache``, whose order of use nobody needs here.
    """

    def __init__(self, read: Callable[[bytes], Part], made: Callable[[Part], T]) -> None:
        super().__init__()
        self.read, self.made = read, made

    def __missing__(self, raw: bytes) -> T:
        if len(self) >= _REMEMBERED:
            self.clear()
        value = self[raw] = self.made(self.read(raw))
        return value


def pieces(rows: Iterator[tuple[int, R]]) -> Iterator[Piece[R]]:
    """Numbered rows, many at once."""
    while some := list(islice(rows, AT_ONCE)):
        yield [line for line, _ in some], [row for _, row in some]


def players(
    some: Iterable[Piece[R]], parts: Parts[R], made: Callable[[Part], T]
) -> Iterator[Players[T] | Problem]:
    """The players of the rows; and for each row that is none, a :class:`Problem` with all that is wrong with
    it, in its place.
    """
    remembered = [_Remembered(read, made) for read in parts.repeated]
    for lines, rows in some:
        yield from _read(lines, rows, parts, remembered)


def _read(
    lines: Sequence[int], rows: Sequence[R], parts: Parts[R], remembered: Sequence[_Remembered[T]]
) -> Iterator[Players[T] | Problem]:
    """Rows of which one is wrong are halved until it stands alone."""
    try:
        ids, printed, *others = parts.apart(rows)
        columns = (list(map(known.__getitem__, raws)) for known, raws in zip(remembered, others, strict=True))
        found = Players(lines, fide_ids(ids), names(parts.name, printed), *columns)
    except ValueError:
        if len(rows) == 1:
            yield _problem(lines[0], rows[0], parts)
            return
        half = len(rows) // 2
        yield from _read(lines[:half], rows[:half], parts, remembered)
        yield from _read(lines[half:], rows[half:], parts, remembered)
    else:
        yield found


def _problem(line: int, row: R, parts: Parts[R]) -> Problem:
    try:
        raws = [raw for (raw,) in parts.apart([row])]
    except ValueError as error:
        return Problem(line, str(error))
    reasons = []
    for read, raw in zip((fide_id, parts.name, *parts.repeated), raws, strict=True):
        try:
            read(raw)
        except ValueError as error:
            reasons.append(str(error))
    return Problem(
        line,
        "; ".join(reasons),
        {
            "fide_id": readable(in_latin_letters(raws[0])).strip(),
            "name": readable(in_latin_letters(raws[1])).strip(),
        },
    )
