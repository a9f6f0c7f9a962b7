"""CSV with a known header, read row by row in bounded memory. Every bad row is reported with its line.

It is read as spreadsheets write it: separated by commas, semicolons or tabs, in UTF-8, UTF-16, Windows-1250
or Windows-1252, with empty rows and empty columns at the end, or as a workbook with one sheet.
:attr:`Rows.read_as` says what was found.
"""

from __future__ import annotations

import codecs
import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import BinaryIO, Final, Generic, NamedTuple, TypeVar, cast

from ratings.formats.csv_encoding import Encoding, FromUTF16, encoding_of
from ratings.formats.lines import ARCHIVE, foreign_kind, read_lines
from ratings.formats.problems import UNREADABLE, FileRefused, Problem, readable, shown
from ratings.formats.workbook import REPAIR, is_workbook, read_sheet
from ratings.rules.units import Hundredths

IGNORED: Final = frozenset({"line", "reason"})
"""Extra columns in the file of refused rows, ignored so that the file can be corrected and read again."""

MAX_FIELD: Final = 10_000
"""Maximum number of characters in a field."""

MAX_LINE: Final = 1 << 20
"""Maximum number of bytes in a physical line."""

SEPARATORS: Final = {",": "comma", ";": "semicolon", "\t": "tab"}

_TEXTS: Final = {
    **dict.fromkeys(
        (
            *("username", "name", "federation", "sex", "title", "white", "black", "result", "termination"),
            *("category", "team", "home_team", "away_team", "home_player", "away_player", "stage"),
            *("event", "event_url", "url", "variant"),
        ),
        False,
    ),
    **dict.fromkeys(("external_id", "event_id", "round", "time_control"), True),
}
"""Columns that need text in a workbook, whatever the file; True if a whole number will do: 600 seconds."""

_NAMED_AT_MOST: Final = 5
_LINES_AT_MOST: Final = 100
_LIKE_A_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_SEPARATOR_LINE: Final = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
"""A first line that declares the field separator, as Excel reads and writes it."""

_Lines = Iterator[tuple[int, bytes]]
_T = TypeVar("_T")


class Row(NamedTuple):
    """A row: the line on which it begins, and its stripped values by column name.

    An optional column that the file doesn't have is missing from the values; a blank one is there.
    ``unread``: columns that don't decide a rating and were left blank, each with its fault.
    """

    line: int
    values: dict[str, str]
    unread: Mapping[str, str] = MappingProxyType({})


class Rows(Generic[_T]):
    """The rows of a file, each converted by the caller's ``made``, with a :class:`Problem` for each bad row.

    ``spared``: columns that don't decide a rating. A value there that can't be read is left blank and the row
    is kept. Raises FileRefused when the first row is requested, if the file is empty, clearly isn't CSV or
    lacks the required columns. The stream must be seekable.
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        required: Sequence[str],
        optional: Sequence[str] = (),
        spared: Set[str] = frozenset(),
        made: Callable[[Row], _T | Problem],
    ) -> None:
        self._required, self._optional, self._spared = required, optional, spared
        self._separator = ","
        self._encoding: Encoding | None = None
        self._sheet: str | None = None
        self._not_text: Mapping[int, Mapping[int, str]] = {}
        self._habits = Habits()
        self._with_mark = False
        self._empty_columns = 0
        self._empty_rows = _Noted()
        self._composed = _Noted()
        self._rows = (self._read_sheet if is_workbook(stream) else self._read)(stream, made)

    def __iter__(self) -> Iterator[_T | Problem]:
        return self._rows

    @property
    def read_as(self) -> str:
        """A note on how the file was read: "semicolon-separated, Windows-1250", and what was repaired."""
        if self._encoding is None:
            return "nothing yet"
        mark = " with BOM" * self._with_mark
        how = (
            f"{SEPARATORS[self._separator]}-separated, {self._encoding.name}{mark}"
            if self._sheet is None
            else f"workbook, sheet {shown(self._sheet)}"
        )
        said = [how + self._habits.of_values, *self._habits.of_columns]
        if self._empty_columns:
            said.append(f"empty columns at the end ignored: {self._empty_columns}")
        if self._empty_rows.number:
            said.append(f"empty rows ignored: {self._empty_rows}")
        if self._composed.number:
            said.append(f"rows whose letters and accents were combined (Unicode NFC): {self._composed}")
        return "; ".join(said)

    def _read_sheet(self, stream: BinaryIO, made: Callable[[Row], _T | Problem]) -> Iterator[_T | Problem]:
        with read_sheet(stream, self._text_columns) as (self._sheet, text, self._not_text):
            yield from self._read(text, made)

    def _text_columns(self, header: Sequence[str]) -> dict[int, bool]:
        """Return the places of the columns of a workbook that must have text."""
        names = meant(map(str.strip, header), (*self._required, *self._optional))
        return {place: _TEXTS[name] for place, name in enumerate(names) if name in _TEXTS}

    def _read(self, stream: BinaryIO, made: Callable[[Row], _T | Problem]) -> Iterator[_T | Problem]:
        self._encoding = encoding = encoding_of(stream)
        source = cast(BinaryIO, FromUTF16(stream)) if encoding.name == "UTF-16" else stream
        lines = enumerate(read_lines(source, MAX_LINE), 1)
        names = self._header(lines, encoding)
        ignored = IGNORED.intersection(names).difference(self._required, self._optional)
        width = len(names)
        for line, fields in _records(lines, encoding, self._separator):
            if isinstance(fields, _Unsplit):
                kept_lines = map(_kept, fields.lines)
                yield Problem(line, fields.reason, beyond=tuple(kept_lines))
                continue
            # Check the row as a whole, since nearly every row is clean. The check comes before the values are
            # used and looks at unstripped fields: strip() silently removes some control characters.
            text = "".join(fields)
            if not text or text.isspace():
                self._empty_rows.add(line)
                continue
            if len(fields) != width:
                if len(fields) < width or any(map(str.strip, fields[width:])):
                    begin = shown(self._separator.join(fields))
                    reason = f"{len(fields)} of {width} fields, in the row that begins {begin}"
                    there = [
                        _kept(_as_it_was(value) if ignored else value) for value in map(str.strip, fields)
                    ]
                    as_read = {
                        name: value for name, value in zip(names, there, strict=False) if name not in ignored
                    }
                    yield Problem(line, reason, as_read, beyond=tuple(there[width:]))
                    continue
                del fields[width:]
            values = dict(zip(names, map(str.strip, fields), strict=True))
            for name in ignored:
                del values[name]
            self._habits.note_row(text, values.values())
            if ignored:
                values = {name: _as_it_was(value) for name, value in values.items()}
            is_ascii = text.isascii()
            not_text = {names[place]: fault for place, fault in self._not_text.get(line, {}).items()}
            if (
                not_text
                or not text.isprintable()
                or len(text) > MAX_FIELD
                or (not is_ascii and "\ufffd" in text)
            ):
                faults = {name: f"{name}: {fault}" for name, fault in not_text.items()} | {
                    name: fault
                    for name, field in zip(names, fields, strict=True)
                    if name not in ignored and (fault := _fault(name, field, encoding))
                }
                if not faults.keys() <= self._spared:
                    # The sign makes the row be refused again if nobody corrects the cell.
                    kept = {
                        name: _kept(value) + "\ufffd" * (name in not_text) for name, value in values.items()
                    }
                    yield Problem(line, "; ".join(faults.values()), kept)
                    continue
                if faults:
                    yield made(Row(line, values | dict.fromkeys(faults, ""), faults))
                    continue
            if not is_ascii and not unicodedata.is_normalized("NFC", text):
                values = {name: unicodedata.normalize("NFC", value) for name, value in values.items()}
                self._composed.add(line)
            yield made(Row(line, values))

    def _header(self, lines: _Lines, encoding: Encoding) -> list[str]:
        """Return the column names in lower case; raises FileRefused if they aren't those expected."""
        required, optional = self._required, self._optional
        expected = f"the columns must be {','.join(required)}"
        if optional:
            expected += f" (optional: {','.join(optional)})"
        line, text = self._first_line(lines, encoding, expected)
        if text.lstrip().startswith("[") and '"' in text:
            raise FileRefused(f"line {line}: this is PGN, not CSV; {expected}")
        known = dict.fromkeys((*required, *optional, *IGNORED))
        told = _SEPARATOR_LINE.fullmatch(text.strip(" "))
        if told:
            if told[1] not in SEPARATORS:
                fault = f"{shown(told[1])} isn’t a separator; use a comma, a semicolon or a tab"
                raise FileRefused(f"line {line}: {fault}")
            self._separator = told[1]
            line, text = self._first_line(lines, encoding, expected)
        headers = {
            separator: _names(line, text, separator)
            for separator in ([self._separator] if told else SEPARATORS)
        }
        # In a tie the first wins, which is the comma.
        self._separator = max(headers, key=lambda one: len(known.keys() & {*meant(headers[one], known)}))
        written = headers[self._separator]
        if isinstance(written, str):
            raise FileRefused(f"line {line}: {written}; {expected}")
        while written and not written[-1]:
            written.pop()
            self._empty_columns += 1
        names = meant(written, known)
        self._habits.note_header(written, names, (*required, *optional))
        times = Counter(names)
        faults = (
            ("missing", [name for name in required if name not in times]),
            ("unknown", [name for name in times if name not in known]),
            ("repeated", [name for name in times if times[name] > 1]),
        )
        said = [
            f"{fault}: {', '.join(map(shown, wrong[:_NAMED_AT_MOST]))}{', …' * (len(wrong) > _NAMED_AT_MOST)}"
            for fault, wrong in faults
            if wrong
        ]
        if said:
            raise FileRefused(
                f"line {line}: columns {'; '.join(said)}; {expected}, separated by commas, semicolons or tabs"
            )
        return names

    def _first_line(self, lines: _Lines, encoding: Encoding, expected: str) -> tuple[int, str]:
        """Return the next line that isn't blank; raises FileRefused if there is none or it isn't text."""
        for number, line in lines:
            if number == 1:
                self._with_mark = line.startswith(codecs.BOM_UTF8)
                line = line.removeprefix(codecs.BOM_UTF8)
                if line.startswith(ARCHIVE):
                    raise FileRefused(f"line 1: this is neither CSV nor a valid workbook (.xlsx): {REPAIR}")
                if kind := foreign_kind(line):
                    raise FileRefused(f"line 1: this is {kind}, not CSV")
            if len(line) > MAX_LINE:
                raise FileRefused(f"line {number}: longer than {MAX_LINE:,} bytes; {expected}")
            if line.strip(b" ,;\t\r\n"):
                return number, encoding.decode(line).rstrip("\r\n")
        raise FileRefused(f"line 1: the file is empty; {expected}")


class _Unsplit(NamedTuple):
    """A record that can't be split into fields: the reason, and its lines as far as they were read."""

    reason: str
    lines: Sequence[str]


class _Noted:
    """Lines to report: their number, and the first hundred of them."""

    def __init__(self) -> None:
        self.number = 0
        self.first: list[int] = []

    def add(self, line: int) -> None:
        """Count one more line."""
        self.number += 1
        if self.number <= _LINES_AT_MOST:
            self.first.append(line)

    def __str__(self) -> str:
        lines = "line" if self.number == 1 else "lines"
        more = ", …" * (self.number > _LINES_AT_MOST)
        return f"{self.number} ({lines} {', '.join(map(str, self.first))}{more})"


def read_rows(
    stream: BinaryIO,
    *,
    required: Sequence[str],
    optional: Sequence[str] = (),
    spared: Set[str] = frozenset(),
) -> Rows[Row]:
    """Read the rows of a file with a header, as text. The columns may be in any order.

    Give the names in lower case; the file may use any case.
    """
    return Rows(stream, required=required, optional=optional, spared=spared, made=lambda row: row)


def _records(lines: _Lines, encoding: Encoding, separator: str) -> Iterator[tuple[int, list[str] | _Unsplit]]:
    """Yield each record that isn't blank with its first line: its fields, or why it can't be split."""
    decode = encoding.decode
    for number, line in lines:
        # A line of tabs is an empty row.
        if not line or (line.isspace() and b"\t" not in line):
            continue
        if len(line) > MAX_LINE:
            yield number, _Unsplit(f"longer than {MAX_LINE:,} bytes", ())
            continue
        yield number, _fields(number, decode(line).rstrip("\r\n"), lines, decode, separator)


def _names(line: int, text: str, separator: str) -> list[str] | str:
    """Return the column names, or why they can't be split."""
    fields = _fields(line, text, iter(()), str, separator)
    return fields.reason if isinstance(fields, _Unsplit) else [field.strip() for field in fields]


def _fields(
    number: int, text: str, lines: _Lines, decode: Callable[[bytes], str], separator: str
) -> list[str] | _Unsplit:
    """Return the fields of a record, or why it can't be split.

    A quoted field may continue on the next lines, and one that is never closed would swallow the file: at
    most MAX_FIELD further characters are read. A line break is a control character, which no field may
    contain.
    """
    # A line without a quotation mark needs no CSV parser, and most lines have none.
    if '"' not in text:
        return text.split(separator)
    last, read = number, [text]

    def physical_lines() -> Iterator[str]:
        nonlocal last
        yield text
        room = MAX_FIELD
        for last, line in lines:  # noqa: B007 (read by the enclosing function)
            read.append(decode(line).rstrip("\r\n"))
            yield read[-1]
            room -= len(line)
            if room < 0:
                return

    try:
        # Values are stripped anyway, so a space before a quotation mark shouldn't cause a misreading.
        fields = next(csv.reader(physical_lines(), delimiter=separator, strict=True, skipinitialspace=True))
    except csv.Error as error:
        reason = (
            "bad quoting (a field that starts with a quotation mark must end with one; double any inside it)"
        )
        if str(error).startswith("field larger"):
            reason = f"a field of more than {MAX_FIELD:,} characters"
    else:
        if last == number:
            return fields
        reason = "a line break inside a field, or a quotation mark that isn’t closed on the same line"
    if last == number:
        return _Unsplit(f"{reason}: {shown(text)}", read)
    whole = f"lines {number} to {last} were read as one row, so none of them is imported"
    return _Unsplit(f"{reason}: {shown(text)}; {whole}", read)


def _as_it_was(value: str) -> str:
    """Remove the apostrophe that stops spreadsheets running a value in the file of refused rows."""
    return value[1:] if value[:1] == "'" and value[1:2] in _LIKE_A_FORMULA else value


def _fault(name: str, field: str, encoding: Encoding) -> str:
    """Return what is wrong with a field that is too long or has unreadable characters, or ``""``."""
    if len(field) > MAX_FIELD:
        return f"{name}: {len(field):,} characters, more than {MAX_FIELD:,}: {shown(field)}"
    match = UNREADABLE.search(field)
    if match is None:
        return ""
    if match[0] >= "\ud800":
        return f"{name}: {shown(field)} {encoding.fault}"
    return f"{name}: the control character U+{ord(match[0]):04X} in {shown(field)}"


def _kept(value: str) -> str:
    """Return a value for the file of refused rows: safe to write, and still refused if it isn't corrected."""
    return readable(value if len(value) <= MAX_FIELD else value[:MAX_FIELD] + "…")


_BETWEEN: Final = re.compile(r"[\s_.-]+")
_DECIMAL_COMMA: Final = re.compile(r"[+-]?[0-9]{1,6},[0-9]{1,2}", re.ASCII)
_DAY_FIRST: Final = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}(?:[ T].*)?", re.ASCII)


def meant(names: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the office's names for a file's columns: “FIDE ID” is ``fide_id``; unknown names are kept."""
    plain = {_BETWEEN.sub("", one): one for one in known}
    lower = [name.lower() for name in names]
    return [one if one in known else plain.get(_BETWEEN.sub("", one), one) for one in lower]


class Habits:
    """Spreadsheet habits in a file that the office's own files don't have."""

    def __init__(self) -> None:
        self._renamed: list[tuple[str, str]] = []
        self._is_in_another_order = False
        self._has_commas = self._has_dates = False

    def note_header(self, written: Sequence[str], names: Sequence[str], expected: Sequence[str]) -> None:
        """Note the column names as written, the office's names for them, and the expected order."""
        self._renamed = [(one, name) for one, name in zip(written, names, strict=True) if one.lower() != name]
        there = [name for name in names if name in expected]
        self._is_in_another_order = there != [name for name in expected if name in there]

    def note_row(self, text: str, values: Iterable[str]) -> None:
        """Note a row. Its whole text shows whether its values need a look: few rows have such values."""
        if not self._has_commas and "," in text:
            self._has_commas = any(map(_DECIMAL_COMMA.fullmatch, values))
        if not self._has_dates and text.count(".") > 1:
            self._has_dates = any(map(_DAY_FIRST.fullmatch, values))

    @property
    def of_values(self) -> str:
        """The forms in which values were read, each preceded by a comma."""
        return ", decimal commas" * self._has_commas + ", dates as dd.mm.yyyy" * self._has_dates

    @property
    def of_columns(self) -> list[str]:
        """Remarks about the header."""
        said = []
        if self._renamed:
            told = ", ".join(f"{shown(one)} is {name}" for one, name in self._renamed)
            said.append(f"columns renamed: {told}")
        if self._is_in_another_order:
            said.append("columns in another order")
        return said


_NUMBER: Final = re.compile(r"([+-]?)([0-9]{1,6})(?:[.,]([0-9]{1,2}))?", re.ASCII)
"""A number with at most two decimals (RBB 3.1). Three could be thousands: 1,500."""


def hundredths_of(text: str) -> Hundredths:
    """Return the hundredths of 1799.60, 1799,6, -12.40 or 1800; raises ValueError for others, such as 1e3."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(text)
    sign = -1 if match[1] == "-" else 1
    return Hundredths(sign * (int(match[2]) * 100 + int((match[3] or "").ljust(2, "0"))))
