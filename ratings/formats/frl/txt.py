"""Reading the fixed-width TXT lists. A row is cut as its layout says, never at blanks."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from struct import Struct
from typing import BinaryIO, Final

from ratings.formats.frl.layouts import LAYOUTS, Column, Layout
from ratings.formats.frl.parts import NO_RATING, Parts, Remembered, players
from ratings.formats.frl.rows import (
    FideControl,
    FideRating,
    PlayerRow,
    born_and_flag,
    described,
    fide_rating,
    in_latin_letters,
    name,
)
from ratings.formats.lines import foreign_kind, read_lines
from ratings.formats.problems import FileRefused, Problem, shown

__all__ = ["header_of", "txt_rows"]

_MAX_LINE: Final = 1_000
"""Bytes; a row of the longest layout has 162."""

_LINE_END: Final = b"\r\n\x1a"
"""Also Ctrl-Z, with which DOS ended a file: lists until 2012 have it."""

_Lines = Iterator[tuple[int, bytes]]


def header_of(stream: BinaryIO) -> tuple[Layout, str, _Lines]:
    """The layout of the list, the month its header names ("" if none), and the numbered lines after it.

    Raises FileRefused if the first line that is not blank is the header of no known layout.
    """
    lines = enumerate(read_lines(stream, _MAX_LINE), 1)
    for number, line in lines:
        if kind := foreign_kind(line):
            raise FileRefused(f"line {number}: this is {kind}, not a FIDE rating list")
        header = line.removeprefix(b"\xef\xbb\xbf").rstrip(b" " + _LINE_END)
        if not header:
            continue
        text = in_latin_letters(header)
        for layout in LAYOUTS:
            if match := layout.header.fullmatch(text.upper()):
                return layout, "".join(match.groups()), lines
        raise FileRefused(
            f"line {number}: {shown(text)} is not the header line of a FIDE rating list; expected is "
            "“ID Number      Name …” with every column where FIDE has it"
        )
    raise FileRefused("line 1: the file is empty; expected is a FIDE rating list with its header line")


def txt_rows(layout: Layout, lines: _Lines, controls: Sequence[FideControl]) -> Iterator[PlayerRow | Problem]:
    """The players of the lines, and a :class:`Problem` for each row that is not what the layout says.

    ``controls``: which the ratings are of, in the order of the columns. Raises FileRefused where the file
    breaks off within a row.
    """
    first, second, description, *ratings, end = layout.parts
    of_control = dict(zip(controls, ratings, strict=True))
    spread = [of_control.get(control, ()) for control in FideControl]
    cut = Struct("".join(f"{_length(part)}s" for part in (first, second, description, *spread, end)))
    rows = players(
        _cut(layout, lines, cut),
        Parts(
            partial(name, in_latin_letters),
            Remembered(lambda raw: described(_texts(description, raw))),
            [
                Remembered(partial(_rating, control, of_control[control]))
                if control in of_control
                else NO_RATING
                for control in FideControl
            ],
            Remembered(lambda raw: born_and_flag(_texts(end, raw))),
        ),
    )
    return rows if any(column.field == "sex" for column in description) else map(_with_sex, rows)


def _cut(layout: Layout, lines: _Lines, cut: Struct) -> Iterator[tuple[int, Sequence[bytes] | str]]:
    """Each row that is not blank as its parts, or why it has none."""
    width, unpack = layout.width, cut.unpack
    for number, line in lines:
        row = line.rstrip(_LINE_END)
        if len(row) == width:
            yield number, unpack(row)
        elif not row or row.isspace():
            continue
        elif len(row) > width:
            yield number, f"more than {width} characters, so that a value is shifted: {_begin(row)}"
        elif len(row) == len(line):
            raise FileRefused(
                f"line {number}: the file breaks off within the row {_begin(row)}; fetch it again"
            )
        elif len(row) < layout.shortest:
            yield number, f"{len(row)} characters, fewer than {layout.shortest}: {_begin(row)}"
        else:
            yield number, unpack(row.ljust(width))


def _begin(row: bytes) -> str:
    return shown(" ".join(in_latin_letters(row).split()))


def _length(part: Sequence[Column]) -> int:
    return part[-1].end - part[0].start if part else 0


def _texts(columns: Sequence[Column], raw: bytes, of: str = "") -> Mapping[str, str]:
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


def _rating(control: FideControl, columns: Sequence[Column], raw: bytes) -> FideRating:
    return fide_rating(control, _texts(columns, raw, f"{control} "))


def _with_sex(row: PlayerRow | Problem) -> PlayerRow | Problem:
    """The lists until 2012 tell a woman by her flag alone."""
    return row._replace(sex="F") if isinstance(row, PlayerRow) and "w" in row.flag else row
