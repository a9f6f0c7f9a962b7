"""Reading the fixed-width TXT lists. A row is cut as its layout says, never at blanks."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import compress, islice
from typing import BinaryIO, Final, NamedTuple, TypeVar

from ratings.formats.frl.layouts import LAYOUTS, Column, Layout
from ratings.formats.frl.parts import AT_ONCE, Part, Parts, Piece, Players, no_rating, players
from ratings.formats.frl.rows import (
    FideControl,
    FideRating,
    born_and_flag,
    described,
    fide_rating,
    in_latin_letters,
    name,
)
from ratings.formats.lines import foreign_kind, read_lines
from ratings.formats.problems import FileRefused, Problem, shown

T = TypeVar("T")

_MAX_LINE: Final = 1_000
"""Bytes; a row of the longest layout has 162."""

_LINE_END: Final = b"\r\n\x1a"
"""Also Ctrl-Z, with which DOS ended a file: lists until 2012 have it."""


class Opened(NamedTuple):
    """A list whose header has been read. ``month``: that the header names, "" if none. ``line``: its number.

    ``lines``: those after it.
    """

    layout: Layout
    month: str
    line: int
    lines: Iterator[bytes]

    @property
    def combined(self) -> bool:
        """Whether it has ratings of all three controls."""
        return self.layout.combined


def header_of(stream: BinaryIO) -> Opened:
    """The list in a stream.

    Raises FileRefused if the first line that is not blank is the header of no known layout.
    """
    lines = read_lines(stream, _MAX_LINE)
    for number, line in enumerate(lines, 1):
        if kind := foreign_kind(line):
            raise FileRefused(f"line {number}: this is {kind}, not a FIDE rating list")
        header = line.removeprefix(b"\xef\xbb\xbf").rstrip(b" " + _LINE_END)
        if not header:
            continue
        text = in_latin_letters(header)
        for layout in LAYOUTS:
            if match := layout.header.fullmatch(text.upper()):
                return Opened(layout, "".join(match.groups()), number, lines)
        raise FileRefused(
            f"line {number}: {shown(text)} is not the header line of a FIDE rating list; expected is "
            "“ID Number      Name …” with every column where FIDE has it"
        )
    raise FileRefused("line 1: the file is empty; expected is a FIDE rating list with its header line")


def txt_players(
    opened: Opened, controls: Sequence[FideControl], made: Callable[[Part], T]
) -> Iterator[Players[T] | Problem]:
    """The players of a list, and a :class:`Problem` for each row that is not what the layout says.

    ``controls``: which the ratings are of, in the order of the columns. ``made``: what is made of a part.
    Raises FileRefused where the file breaks off within a row.
    """
    layout = opened.layout
    description, end = layout.parts[2], layout.parts[-1]
    of_control = dict(zip(controls, layout.parts[3:-1], strict=True))
    return players(
        _rows(opened),
        Parts(
            partial(_apart, layout, [of_control.get(control, ()) for control in FideControl]),
            partial(name, in_latin_letters),
            partial(_described, description),
            [
                partial(_rating, control, of_control[control]) if control in of_control else no_rating
                for control in FideControl
            ],
            lambda raw: born_and_flag(_texts(end, raw)),
        ),
        made,
    )


def _rows(opened: Opened) -> Iterator[Piece[bytes]]:
    """The rows but for blank lines, which have any other length than a row."""
    layout, _, number, lines = opened
    while some := list(islice(lines, AT_ONCE)):
        rows = [line.rstrip(_LINE_END) for line in some]
        numbers: Sequence[int] = range(number + 1, number + 1 + len(rows))
        number += len(rows)
        if len(rows[-1]) == len(some[-1]) < layout.width and not rows[-1].isspace():
            raise FileRefused(
                f"line {number}: the file breaks off within the row {_begin(rows[-1])}; fetch it again"
            )
        if set(map(len, rows)) != {layout.width}:
            kept = [len(row) == layout.width or bool(row.strip()) for row in rows]
            numbers, rows = list(compress(numbers, kept)), list(compress(rows, kept))
        if rows:
            yield numbers, rows


def _apart(
    layout: Layout, ratings: Sequence[Sequence[Column]], rows: Sequence[bytes]
) -> Sequence[Sequence[bytes]]:
    """The parts of rows column by column. Without a column for the sex, the flag follows the description."""
    lengths = set(map(len, rows))
    if max(lengths) > layout.width:
        raise ValueError(
            f"more than {layout.width} characters, so that a value is shifted: {_begin(rows[0])}"
        )
    if min(lengths) < layout.shortest:
        raise ValueError(f"{len(rows[0])} characters, fewer than {layout.shortest}: {_begin(rows[0])}")
    if min(lengths) < layout.width:
        rows = [row.ljust(layout.width) for row in rows]
    first, second, description, *_, end = layout.parts
    columns = [_column(part, rows) for part in (first, second, description, *ratings, end)]
    if not any(column.field == "sex" for column in description):
        columns[2] = list(map(bytes.__add__, columns[2], _column(end[-1:], rows)))
    return columns


def _column(part: Sequence[Column], rows: Sequence[bytes]) -> list[bytes]:
    place = slice(part[0].start, part[-1].end) if part else slice(0)
    return [row[place] for row in rows]


def _begin(row: bytes) -> str:
    return shown(" ".join(in_latin_letters(row).split()))


def _texts(columns: Sequence[Column], raw: bytes, of: str = "") -> dict[str, str]:
    """The values of a part by their fields; raises ValueError for one that is not where it belongs."""
    first = columns[0].start
    texts = {}
    for column in columns:
        text = in_latin_letters(raw[column.start - first : column.end - first])
        if text[0] == " " and not column.loose and not text.isspace():
            what = f"{of}{column.field}".replace("_", " ")
            raise ValueError(
                f"{what}: {shown(text)} is shifted, it does not begin at character {column.start + 1}"
            )
        texts[column.field] = text.strip()
    return texts


def _described(columns: Sequence[Column], raw: bytes) -> Part:
    """The lists until 2012 tell a woman by her flag alone."""
    texts = _texts(columns, raw)
    if "sex" not in texts:
        texts["sex"] = "F" if b"w" in raw[columns[-1].end - columns[0].start :] else ""
    return described(texts)


def _rating(control: FideControl, columns: Sequence[Column], raw: bytes) -> FideRating:
    return fide_rating(control, _texts(columns, raw, f"{control} "))
