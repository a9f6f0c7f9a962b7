"""The fixed-width layouts of FIDE rating lists since 2001, and players from the seven parts of their rows.

Lists since 2005 are recognised by their header lines. In older lists the labels aren't always above their
columns, the same header has rows of several widths, and some lists have no header. There, the rows show the
layout (``txt``).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from typing import Final, Generic, NamedTuple, TypeVar

from ratings.formats.frl.rows import fide_id, in_latin_letters, name
from ratings.formats.problems import Problem, Remark, readable
from ratings.rules.units import FideId

COMBINED_HEADER: Final = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit      "
    "     FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
)
"""The header line of the current combined list."""

SINGLE_HEADER: Final = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit      "
    "     FOA %s Gms K  B-day Flag"
)
"""The header line of the current lists for one control, with a place for the month's label, such as OCT26."""


class Column(NamedTuple):
    """A column of a row, counted from 0; ``end`` is the first character after it.

    ``loose``: the value may begin anywhere in the column. All others begin at ``start``, which shows when a
    row has lost or gained a character.
    """

    field: str
    start: int
    end: int
    loose: bool


@dataclass(frozen=True)
class Layout:
    """A layout: its columns from left to right.

    They form parts: ID, name, description, one or three ratings with games and K, and birth and flag.
    """

    columns: tuple[Column, ...]

    @property
    def combined(self) -> bool:
        """True if it has ratings for all three controls."""
        return sum(column.field == "rating" for column in self.columns) > 1

    @property
    def has_k(self) -> bool:
        """True if it has a K column, as lists since 2012 do."""
        return any(column.field == "k" for column in self.columns)

    @property
    def width(self) -> int:
        """Number of characters in a full row."""
        return self.columns[-1].end

    @property
    def shortest(self) -> int:
        """Length of a row whose trailing blanks have been cut: everything before the last part."""
        return self.parts[-1][0].start

    @property
    def parts(self) -> list[tuple[Column, ...]]:
        """The columns, grouped by part."""
        ratings = [place for place, column in enumerate(self.columns) if column.field == "rating"]
        after = ratings[-1] + 1
        while self.columns[after].field in ("games", "k"):
            after += 1
        cuts = [0, 1, 2, *ratings, after, len(self.columns)]
        return [self.columns[start:end] for start, end in pairwise(cuts)]


_MONTH: Final = "([A-Z]{3}[0-9]{2})"
_OLD_MONTH: Final = "([A-Z]{3,4}[0-9]{2})"
_PERSON: Final = (
    ("fide_id", 15),
    ("name", 61),
    ("federation", 4),
    ("sex", 4),
    ("title", 5),
    ("women_title", 5),
    ("other_titles", 15),
)
_FOA: Final = (("arena_title", 4),)
_RATED: Final = (("rating", 6), ("games", 4), ("k", 3))
_END: Final = (("birth", 6), ("flag", 4))
_OLD: Final = (
    ("fide_id", 10),
    ("name", 34),
    ("title", 4),
    ("federation", 5),
    ("rating", 5),
    ("games", 6),
)


def _columns(widths: Iterable[tuple[str, int]], *loose: str) -> tuple[Column, ...]:
    fields, lengths = zip(*widths, strict=True)
    edges = pairwise(accumulate(lengths, initial=0))
    return tuple(
        Column(field, start, end, field in {"fide_id", "name", *loose})
        for field, (start, end) in zip(fields, edges, strict=True)
    )


def _exactly(header: str) -> re.Pattern[str]:
    return re.compile(re.escape(header.upper()).replace("%S", _MONTH))


COMBINED: Final = Layout(_columns(_PERSON + _FOA + _RATED * 3 + _END))
SINGLE: Final = Layout(_columns(_PERSON + _FOA + _RATED + _END))
"""The two current layouts: for the combined list and for one control."""

HEADERS: Final = (
    (_exactly(COMBINED_HEADER), COMBINED),
    (_exactly(COMBINED_HEADER.replace("FOA ", "")), Layout(_columns(_PERSON + _RATED * 3 + _END))),
    (_exactly(SINGLE_HEADER), SINGLE),
    # 2012 to 2015
    (_exactly(SINGLE_HEADER.replace("FOA ", "")), Layout(_columns(_PERSON + _RATED + _END))),
    # 2005 to 2012. Only the order of the labels matters. IDs and games are right-aligned.
    (
        re.compile(rf"ID NUMBER +NAME +TITL *FED +{_OLD_MONTH} *GAMES *BORN +FLAG"),
        Layout(_columns((*_OLD, ("birth", 6), ("flag", 4)), "games")),
    ),
)
"""Header patterns in capitals, each with its layout. The group, if any, is the month."""

OLD_HEADER: Final = re.compile(
    rf" *(?:ID[_ ]?NUMBER|CODE) +NAME +TIT(?:LE?)? *(?:COUNTRY|FED) *{_OLD_MONTH} *(?:GAMES?|GMS)"
    r"(?: *(?:BIRTHDAY|SEX)){0,2} *FLAG"
)
"""The header lines of 2001 to 2005, with any blanks; they don't show where the columns are."""

OLD_LABELS: Final = re.compile(
    r"(ID[_ ]?NUMBER|CODE|NAME|TIT(?:LE?)?|COUNTRY|FED|[A-Z]{3,4}[0-9]{2}|GAMES?|GMS|BIRTHDAY|SEX|FLAG)"
)
"""A label in such a line."""

WITHOUT_HEADER: Final = Layout(_columns((*_OLD, ("birth", 10), ("flag", 5)), "games", "birth", "flag"))
"""The layout of January 2003 to 2005, with dates such as 17.01.1971. The lists of July and October 2003 and
January 2004 have no header line."""

OLD: Final = (
    WITHOUT_HEADER,
    # October 2002, with dates such as 17.01.71
    Layout(_columns((*_OLD, ("birth", 10), ("flag", 3)), "games", "birth")),
    # 2001: with and without two blanks before each row
    *(
        Layout(
            _columns(
                (
                    ("fide_id", width),
                    ("name", 33),
                    ("title", 6),
                    ("federation", 8),
                    ("rating", 6),
                    ("games", 6),
                    ("flag", 4),
                ),
                "games",
            )
        )
        for width in (12, 10)
    ),
)
"""The exactly known layouts of 2001 to 2005, by width: 79, 77, 75 and 73."""


def from_header(header: str, width: int, rows: Sequence[bytes]) -> Layout:
    """Build the layout whose columns begin where the labels of an old header line are.

    If values cross that place, the column begins at the nearest place that fewer values cross; if nearly all
    values begin at one place, it begins there. ``width``: characters in a row. Lists of 2002 have widths of
    85, 86 and 90, some with a column for the sex.
    """
    labels = list(OLD_LABELS.finditer(header))
    fields = [_field(label[0]) for label in labels]
    starts = [0, *(label.start() for label in labels[1:]), width]
    for place in range(1, len(fields)):
        starts[place] = _gap(rows, starts[place], range(starts[place - 1] + 1, starts[place + 1]))
    loose = [True] * len(fields)
    for place, field in enumerate(fields):
        if field in _FLUSHED_LEFT and (begun := _begun(rows, starts[place], starts[place + 1])) is not None:
            starts[place], loose[place] = begun, False
    return Layout(tuple(map(Column, fields, starts, starts[1:], loose)))


def _begun(rows: Sequence[bytes], start: int, end: int) -> int | None:
    """Return the place where nearly all values of a column begin, or None."""
    begun = Counter(
        end - len(value) for row in rows if (value := row[start:end].ljust(end - start).lstrip(b" ."))
    )
    if not begun:
        return None
    ((place, many),) = begun.most_common(1)
    return place if many * 10 >= begun.total() * 9 else None


def _gap(rows: Sequence[bytes], start: int, places: range) -> int:
    """Return the place nearest to ``start`` that the fewest values cross."""

    def crossed(place: int) -> int:
        return sum(runs_across(row, place) for row in rows)

    return min(places, key=lambda place: (crossed(place), abs(place - start)), default=start)


def runs_across(row: bytes, place: int) -> bool:
    """Return whether a value crosses a place: no blank there, and no change between letters and digits."""
    pair = row[place - 1 : place + 1]
    return len(pair) > 1 and b" " not in pair and pair[:1].isalpha() == pair[1:].isalpha()


_FLUSHED_LEFT: Final = frozenset({"title", "federation", "rating", "birth"})
"""Columns of old lists whose values all begin at one place, unless their row lost or gained a character."""


def _field(label: str) -> str:
    for beginning, field in _LABELS.items():
        if label.startswith(beginning):
            return field
    return "rating"


_LABELS: Final = {
    "ID": "fide_id",
    "CODE": "fide_id",
    "NAME": "name",
    "TIT": "title",
    "COUNTRY": "federation",
    "FED": "federation",
    "GAME": "games",
    "GMS": "games",
    "BIRTHDAY": "birth",
    "SEX": "sex",
    "FLAG": "flag",
}
"""Beginnings of labels in old header lines. Any other label is the month, above the ratings."""


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
