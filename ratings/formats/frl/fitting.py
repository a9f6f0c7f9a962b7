"""Detection of a TXT list's layout: by its header line or, for lists until 2005, by its rows."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO, Final, NamedTuple

from ratings.formats.frl.columns import AT_ONCE, Players, itself
from ratings.formats.frl.layouts import HEADERS, OLD, OLD_HEADER, WITHOUT_HEADER, Layout, from_header
from ratings.formats.frl.rows import FideControl, in_latin_letters
from ratings.formats.frl.txt import LINE_END, Opened, txt_players
from ratings.formats.lines import foreign_kind, read_lines
from ratings.formats.problems import FileRefused, Remark, shown

_MAX_LINE: Final = 1_000
"""Maximum number of bytes in a line; a row of the longest layout has 162."""

_MARK: Final = b"\xef\xbb\xbf"
"""The UTF-8 byte order mark."""

_ROW: Final = re.compile(rb" *[0-9]{1,9} ")
"""The beginning of a row, which a header line never has."""

_UNKNOWN: Final = (
    "the rows fit no column layout of FIDE's lists; expected is a file as FIDE published it, unchanged"
)


class _Fit(NamedTuple):
    """The fit of a layout to some rows: the number of rated players with a federation, and of remarks.

    ``figures``: FIDE ID, rating and games of each row that it reads.
    """

    layout: Layout
    players: int
    remarks: int
    figures: tuple[tuple[object, ...], ...]


def header_of(stream: BinaryIO) -> Opened:
    """Open the list in a stream at its first row.

    Raises FileRefused if the first line that isn't blank is neither a known header nor a row of the layout
    that FIDE published without a header, or if neither an old header line nor the rows show where the columns
    are.
    """
    lines, utf_8 = read_lines(stream, _MAX_LINE), False
    for number, line in enumerate(lines, 1):
        if kind := foreign_kind(line):
            raise FileRefused(f"line {number}: this is {kind}, not a FIDE rating list")
        utf_8 = utf_8 or (number == 1 and line.startswith(_MARK))
        first = line.removeprefix(_MARK)
        header = first.rstrip(b" " + LINE_END)
        if not header:
            continue
        text = in_latin_letters(header)
        for pattern, layout in HEADERS:
            if match := pattern.fullmatch(text.upper()):
                return Opened(layout, "".join(match.groups()), number, lines, utf_8)
        if match := OLD_HEADER.fullmatch(text.upper()):
            some = list(islice(lines, AT_ONCE))
            layout = _told_by(some, number, text.upper())
            return Opened(layout, match[1], number, chain(some, lines), utf_8)
        if _ROW.match(header):
            some = [first, *islice(lines, AT_ONCE)]
            return _without_header(some, number - 1, lines, utf_8)
        raise FileRefused(
            f"line {number}: {shown(text)} is not the header line of a FIDE rating list; expected is "
            "“ID Number      Name …” with every column where FIDE has it"
        )
    raise FileRefused("line 1: the file is empty; expected is a FIDE rating list with its header line")


def _without_header(some: Sequence[bytes], line: int, lines: Iterator[bytes], utf_8: bool) -> Opened:
    """Open a list that begins with a row, if it has the one layout that FIDE published without a header."""
    rows = _rows(some)
    fit = _fit(WITHOUT_HEADER, some, line)
    width = WITHOUT_HEADER.width
    if _width(rows) != width or fit.players * 2 < len(rows):
        raise FileRefused(
            f"line {line + 1}: {shown(in_latin_letters(some[0].strip()))} is not the header line of a FIDE "
            "rating list, nor is the file one of those of 2003 and 2004 without header, which have rows of "
            f"{width} characters; expected is “ID Number      Name …” with every column where FIDE has it"
        )
    said = Remark(
        line + 1,
        f"no header line; read as the lists of July 2003 to January 2004, by its rows of {width} characters",
    )
    return Opened(WITHOUT_HEADER, "", line, chain(some, lines), utf_8, (said,))


def _told_by(some: Sequence[bytes], line: int, header: str) -> Layout:
    """Choose the layout of a list until 2005 from its first rows: by their width, or by the header's columns.

    Raises FileRefused if no layout reads half of the rows, or if two read different figures equally well.
    """
    rows = _rows(some)
    if not rows:
        return OLD[0]
    width = _width(rows)
    # A quarter of the rows is enough, so that a few bad ones in a short list don't hide its width.
    of_width = [layout for layout in OLD if sum(len(row) == layout.width for row in rows) * 4 >= len(rows)]
    fits = [fit for layout in of_width if (fit := _fit(layout, some, line)).players * 2 >= len(rows)]
    if not fits:
        shorter = header.lstrip(" ")
        measured = [from_header(one, width, rows) for one in dict.fromkeys((header, shorter))]
        fits = [
            fit
            for layout in (*measured, *OLD)
            if layout not in of_width and (fit := _fit(layout, some, line)).players * 2 >= len(rows)
        ]
    if not fits:
        if of_width:
            return of_width[0]
        raise FileRefused(f"line {line + 1}: {_UNKNOWN}")
    best = max(fits, key=lambda fit: (fit.players, -fit.remarks))
    for fit in fits:
        if (fit.players, fit.remarks) == (best.players, best.remarks) and fit.figures != best.figures:
            raise FileRefused(
                f"line {line + 1}: the rows can be read in two ways, with different ratings; expected is a "
                "file as FIDE published it, unchanged"
            )
    return best.layout


def _rows(lines: Sequence[bytes]) -> list[bytes]:
    return [row for line in lines if (row := line.rstrip(LINE_END)).strip()]


def _width(rows: Sequence[bytes]) -> int:
    """Return the most common length of a row, in characters."""
    ((width, _),) = Counter(map(len, rows)).most_common(1)
    return width


def _fit(layout: Layout, lines: Sequence[bytes], line: int) -> _Fit:
    figures: list[tuple[object, ...]] = []
    taken = remarks = 0
    # The last one may be the file's last line, without an end; the reader reports that.
    opened = Opened(layout, "", line, (row.rstrip(LINE_END) + b"\n" for row in lines))
    for some in txt_players(opened, (FideControl.STANDARD,), itself):
        if isinstance(some, Players):
            figures += zip(some.fide_ids, some.standard, strict=True)
            rated = zip(some.described, some.standard, strict=True)
            taken += sum(bool(who and who[0] and rating and rating[0]) for who, rating in rated)
        elif isinstance(some, Remark):
            remarks += 1
    return _Fit(layout, taken, remarks, tuple(figures))
