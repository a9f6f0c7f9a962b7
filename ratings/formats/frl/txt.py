"""Reading the fixed-width TXT lists: which layout a list has, and its rows, cut by it and never at blanks.

The layout is found by the header line or, for lists until 2005, by the rows.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, compress, islice, pairwise
from typing import BinaryIO, Final, NamedTuple, TypeVar

from ratings.formats.frl.layouts import (
    AT_ONCE,
    HEADERS,
    OLD,
    OLD_HEADER,
    WITHOUT_HEADER,
    Column,
    Layout,
    Part,
    PartReader,
    Parts,
    Piece,
    Players,
    from_header,
    itself,
    no_rating,
    players,
    runs_across,
)
from ratings.formats.frl.rows import (
    LOWEST_RATING,
    FideControl,
    FideRating,
    born_and_flag,
    described,
    fide_id,
    fide_rating,
    in_latin_letters,
    in_utf_8,
)
from ratings.formats.lines import foreign_kind, read_lines
from ratings.formats.problems import FileRefused, Problem, Remark, shown
from ratings.rules.units import Points

T = TypeVar("T")

LINE_END: Final = b"\r\n\x1a"
"""Includes Ctrl-Z, which marked the end of a DOS file: lists until 2012 have it."""

_UTF_8: Final = ("utf-8", "surrogateescape")
_BYTES: Final = ("latin-1", "strict")
_MOST_RUN_OVER: Final = 16
"""Maximum number of characters by which other titles may be too long. FIDE's are one too long; each further
title adds three."""

_DECIDING: Final = frozenset({"rating", "games", "k"})
"""Columns that decide ratings: no value may run into or out of them."""

_LOWEST_OLD_RATING: Final = Points(1000)
"""Lowest rating in a list without K, until 2012: a rating of three digits has lost the fourth."""

_BEFORE_RATINGS: Final = 5
"""Number of characters before the first rating in which no column has digits."""


class Opened(NamedTuple):
    """A list whose layout is known. ``month``: from the header, "" if none. ``line``: the header's number.

    ``lines``: the lines after it. ``utf_8``: whether names are UTF-8, so that columns count characters, not
    bytes. ``remarks``: what to report about the file.
    """

    layout: Layout
    month: str
    line: int
    lines: Iterator[bytes]
    utf_8: bool = False
    remarks: tuple[Remark, ...] = ()

    @property
    def combined(self) -> bool:
        """True if it has ratings for all three controls."""
        return self.layout.combined


def txt_players(
    opened: Opened, controls: Sequence[FideControl], made: Callable[[Part], T]
) -> Iterator[Players[T] | Remark | Problem]:
    """Yield players, a :class:`Remark` for each blanked value, a :class:`Problem` for each row left out.

    ``controls``: the ratings' controls in the order of the columns. ``made``: converts a part. Raises
    FileRefused if the file is cut off within a row.
    """
    taking = _Taking(opened.layout, controls, opened.utf_8)
    return players(_rows(opened), taking.parts(), made)


def _rows(opened: Opened) -> Iterator[Piece[bytes]]:
    """Yield all rows except blank lines, whose length differs from a row's."""
    layout, number, lines = opened.layout, opened.line, opened.lines
    while some := list(islice(lines, AT_ONCE)):
        rows = [line.rstrip(LINE_END) for line in some]
        numbers: Sequence[int] = range(number + 1, number + 1 + len(rows))
        number += len(rows)
        if len(rows[-1]) == len(some[-1]) < layout.width and not rows[-1].isspace():
            raise FileRefused(
                f"line {number}: the file ends in the middle of the row {begin(rows[-1])}; download it again"
            )
        if set(map(len, rows)) != {layout.width}:
            kept = [len(row) == layout.width or bool(row.strip()) for row in rows]
            numbers, rows = list(compress(numbers, kept)), list(compress(rows, kept))
        if rows:
            yield numbers, rows


class _Taking:
    """The functions that split the rows of a layout."""

    def __init__(self, layout: Layout, controls: Sequence[FideControl], utf_8: bool) -> None:
        self.layout, self.utf_8 = layout, utf_8
        self.first, self.second, self.description, *ratings, self.end = layout.parts
        self.of_control = dict(zip(controls, ratings, strict=True))
        # If the description has no sex, a column at the end shows it: its own column, or the flag.
        at_the_end = {column.field: column for column in self.end}
        described_by = any(column.field == "sex" for column in self.description)
        self.sex = None if described_by else at_the_end.get("sex", at_the_end["flag"])
        self.edges = [
            after.start
            for before, after in pairwise(layout.columns)
            if not _DECIDING.isdisjoint((before.field, after.field))
        ]
        self.has_loose = any(column.loose for column in layout.columns[2:])
        self.lowest = LOWEST_RATING if layout.has_k else _LOWEST_OLD_RATING

    def parts(self) -> Parts[bytes]:
        """The readers of each part."""
        return Parts(
            self.apart,
            self.alone,
            in_utf_8 if self.utf_8 else in_latin_letters,
            [
                self.described,
                *map(self.rating_of, FideControl),
                lambda raw, remarks: born_and_flag(_texts(self.end, raw, remarks), remarks),
            ],
        )

    def apart(self, rows: Sequence[bytes]) -> Sequence[Sequence[bytes]]:
        """Split rows into parts, column by column. A sex that isn't in the description is appended to it."""
        printed = None
        if self.utf_8 and not all(map(bytes.isascii, rows)):
            # Only names have non-ASCII letters, and columns count characters.
            texts = [in_utf_8(row) for row in rows]
            rows = [text.encode("ascii", "replace") for text in texts]
            (column,) = self.second
            printed = [text[column.start : column.end].encode("utf-8", "surrogateescape") for text in texts]
        if self._shortest_of(rows) < self.layout.width:
            rows = [row.ljust(self.layout.width) for row in rows]
        ratings = [self.of_control.get(control, ()) for control in FideControl]
        columns = [
            _column(part, rows) for part in (self.first, self.second, self.description, *ratings, self.end)
        ]
        if self.sex is not None:
            columns[2] = list(map(bytes.__add__, columns[2], _column((self.sex,), rows)))
        if printed is not None:
            columns[1] = printed
        return columns

    def alone(self, row: bytes) -> tuple[Sequence[bytes], list[str]]:
        """Return the parts of a row and what was repaired; raises ValueError if the row must be left out.

        A row that is too long is accepted if everything is in its place and the excess follows the last
        column, or if it fits once the other titles, which fill their column, get the room they need.
        """
        width, codec = self.layout.width, _UTF_8 if self.utf_8 else _BYTES
        text = row.decode(*codec)
        if len(text) > width:
            remarks: list[str] = []
            raws = self._sound(text[:width].encode(*codec))
            if raws is not None and raws[-1].strip() and not self.has_loose:
                born_and_flag(_texts(self.end, raws[-1], remarks), remarks)
                if not remarks:
                    too_much = text[width:].strip()
                    left_out = f"{shown(too_much)} after the last column; left out"
                    return raws, [left_out] if too_much else []
        elif (raws := self._sound(row)) is not None:
            self._check_shifts(raws, shorter=len(text) < width)
            return raws, []
        if repaired := self._with_room_for_titles(text, codec):
            return repaired
        if self._readable(raws := self._only(row)):
            raise ValueError(f"a value is shifted, in or next to the ratings: {begin(row)}")
        return raws, []

    def _with_room_for_titles(
        self, text: str, codec: tuple[str, str]
    ) -> tuple[Sequence[bytes], list[str]] | None:
        """Return the parts of a row whose other titles are too long, if they alone moved what follows."""
        titles = next((column for column in self.description if column.field == "other_titles"), None)
        if titles is None or text[: titles.end].endswith(" "):
            return None
        found = []
        for more in range(1, _MOST_RUN_OVER + 1):
            if " " in text[titles.end : titles.end + more]:
                break
            rest = text[titles.end + more :].rstrip()
            blank = f"{text[: titles.start]}{' ' * (titles.end - titles.start)}{rest}"
            if len(blank) <= self.layout.width and (raws := self._sound(blank.encode(*codec))) is not None:
                found.append((more, raws))
        if len(found) != 1:
            return None
        ((more, raws),) = found
        printed, characters = shown(text[titles.start : titles.end + more]), "s" * (more > 1)
        return raws, [f"other titles: {printed} is {more} character{characters} too long; left blank"]

    def described(self, raw: bytes, remarks: list[str]) -> Part:
        """Read the description. Until 2012 the flag marks women; some lists of 2002 have a sex column."""
        texts = _texts(self.description, raw, remarks)
        if self.sex is not None:
            after = raw[self.description[-1].end - self.description[0].start :]
            if self.sex.field == "sex":
                texts["sex"] = in_latin_letters(after).strip().upper()
            else:
                texts["sex"] = "F" if b"w" in after else ""
        return described(texts, remarks)

    def rating_of(self, control: FideControl) -> PartReader:
        """Return the reader of a control's rating."""
        if control not in self.of_control:
            return no_rating
        columns = self.of_control[control]
        return lambda raw, _: _rating(control, columns, raw, self.lowest)

    def _shortest_of(self, rows: Sequence[bytes]) -> int:
        """Return the length of the shortest row; raises ValueError for one that is too long or too short."""
        lengths, width, shortest = set(map(len, rows)), self.layout.width, self.layout.shortest
        if max(lengths) > width:
            raise ValueError(f"more than {width} characters, so a value is shifted: {begin(rows[0])}")
        if min(lengths) < shortest:
            raise ValueError(f"{len(rows[0])} characters, fewer than {shortest}: {begin(rows[0])}")
        return min(lengths)

    def _only(self, row: bytes) -> Sequence[bytes]:
        return [raw for (raw,) in self.apart([row])]

    def _sound(self, row: bytes) -> Sequence[bytes] | None:
        """Return the parts of a row if what decides ratings can be read and no other value runs into it."""
        try:
            raws = self._only(row)
        except ValueError:
            return None
        return raws if self._readable(raws) and not self._run_into(row) else None

    def _readable(self, raws: Sequence[bytes]) -> bool:
        try:
            fide_id(raws[0])
            for control, raw in zip(FideControl, raws[3:-1], strict=True):
                if control in self.of_control:
                    _rating(control, self.of_control[control], raw, self.lowest)
        except ValueError:
            return False
        return True

    def _run_into(self, row: bytes) -> bool:
        """Return whether a value runs into the ratings, which would change them."""
        before = self.layout.parts[3][0].start
        return any(runs_across(row, edge) for edge in self.edges) or any(
            figure in row[before - _BEFORE_RATINGS : before] for figure in b"0123456789"
        )

    def _check_shifts(self, raws: Sequence[bytes], *, shorter: bool) -> None:
        """Raise ValueError for a short row with a misplaced value: it has lost characters."""
        if shorter:
            for part, raw in ((self.description, raws[2]), (self.end, raws[-1])):
                for column, text in _cells(part, raw):
                    if _shifted(column, text):
                        raise ValueError(f"{column.field.replace('_', ' ')}: {_where(column, text)}")


def _column(part: Sequence[Column], rows: Sequence[bytes]) -> list[bytes]:
    place = slice(part[0].start, part[-1].end) if part else slice(0)
    return [row[place] for row in rows]


def begin(row: bytes) -> str:
    """Return how a message names a row that can't be split."""
    return shown(" ".join(in_latin_letters(row).split()))


def _cells(columns: Sequence[Column], raw: bytes) -> Iterator[tuple[Column, str]]:
    """Yield the columns of a part with their contents."""
    first = columns[0].start
    for column in columns:
        yield column, in_latin_letters(raw[column.start - first : column.end - first])


def _texts(columns: Sequence[Column], raw: bytes, remarks: list[str]) -> dict[str, str]:
    """Return the values of a part by field. A misplaced value is left blank."""
    texts = {}
    for column, text in _cells(columns, raw):
        if shifted := _shifted(column, text):
            remarks.append(f"{column.field.replace('_', ' ')}: {_where(column, text)}; left blank")
        texts[column.field] = "" if shifted else text.strip()
    return texts


def _rating(control: FideControl, columns: Sequence[Column], raw: bytes, lowest: Points) -> FideRating:
    texts = {}
    for column, text in _cells(columns, raw):
        if _shifted(column, text):
            raise ValueError(f"{control} {column.field}: {_where(column, text)}")
        if column.loose and text[-1:].strip(" "):
            raise ValueError(f"{control} {column.field}: {shown(text)} runs into the next column")
        texts[column.field] = text.strip()
    return fide_rating(control, texts, lowest)


def _shifted(column: Column, text: str) -> bool:
    # An unknown date of birth has only the dots.
    return text.startswith(" ") and not column.loose and bool(text.strip(" ."))


def _where(column: Column, text: str) -> str:
    return f"{shown(text)} is shifted: it doesn’t start at character {column.start + 1}"


_MAX_LINE: Final = 1_000
"""Maximum number of bytes in a line; a row of the longest layout has 162."""

_MARK: Final = b"\xef\xbb\xbf"
"""The UTF-8 byte order mark."""

_ROW: Final = re.compile(rb" *[0-9]{1,9} ")
"""The beginning of a row, which a header line never has."""

_UNKNOWN: Final = "the rows don’t fit any layout of FIDE’s lists; use the file exactly as FIDE published it"


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
            f"line {number}: {shown(text)} isn’t the header line of a FIDE rating list; it must be "
            "“ID Number      Name …” with every column where FIDE has it"
        )
    raise FileRefused("line 1: the file is empty; it must be a FIDE rating list with its header line")


def _without_header(some: Sequence[bytes], line: int, lines: Iterator[bytes], utf_8: bool) -> Opened:
    """Open a list that begins with a row, if it has the one layout that FIDE published without a header."""
    rows = _sample(some)
    fit = _fit(WITHOUT_HEADER, some, line)
    width = WITHOUT_HEADER.width
    if _width(rows) != width or fit.players * 2 < len(rows):
        raise FileRefused(
            f"line {line + 1}: {shown(in_latin_letters(some[0].strip()))} isn’t the header line of a FIDE "
            "rating list, and this isn’t one of the lists of 2003 and 2004 without a header, whose rows have "
            f"{width} characters; it must be “ID Number      Name …” with every column where FIDE has it"
        )
    said = Remark(
        line + 1,
        "no header line; read as a list of July 2003 to January 2004, "
        f"because its rows have {width} characters",
    )
    return Opened(WITHOUT_HEADER, "", line, chain(some, lines), utf_8, (said,))


def _told_by(some: Sequence[bytes], line: int, header: str) -> Layout:
    """Choose the layout of a list until 2005 from its first rows: by their width, or by the header's columns.

    Raises FileRefused if no layout reads half of the rows, or if two read different figures equally well.
    """
    rows = _sample(some)
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
                f"line {line + 1}: the rows can be read in two ways, with different ratings; "
                "use the file exactly as FIDE published it"
            )
    return best.layout


def _sample(lines: Sequence[bytes]) -> list[bytes]:
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
