"""CSV with a known header, row by row: streamed, in bounded memory, every bad row reported with its line."""

import codecs
import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final, NamedTuple

from ratings.formats.lines import foreign_kind, read_lines
from ratings.formats.problems import UNREADABLE, FileRefused, Problem, readable, shown

IGNORED: Final = frozenset({"line", "reason"})
"""Columns which the file of refused rows has besides its own, so that it can be corrected and read again."""

MAX_FIELD: Final = 10_000
"""Characters in one field."""

MAX_LINE: Final = 1 << 20
"""Bytes in one physical line."""

_NAMED_AT_MOST: Final = 5
_LIKE_A_FORMULA: Final = ("=", "+", "-", "@")

_Lines = Iterator[tuple[int, bytes]]


class Row(NamedTuple):
    """A row: the line on which it begins, and its stripped values by the names of its columns.

    An optional column that the file does not have is not among the values, unlike one that is blank.
    """

    line: int
    values: dict[str, str]


def read_rows(
    stream: BinaryIO, *, required: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[Row | Problem]:
    """The rows of a UTF-8 file with a header, columns in any order; a :class:`Problem` for each bad one.

    The names are given in lower case; in the file their case does not matter. Raises FileRefused, as soon
    as the first row is asked for, if the file is empty, is plainly no CSV, or has not these columns.
    """
    records = _records(enumerate(read_lines(stream, MAX_LINE), 1))
    names = _header(records, required, optional)
    ignored = IGNORED.intersection(names).difference(required, optional)
    for line, fields in records:
        if isinstance(fields, str):
            yield Problem(line, fields)
            continue
        if len(fields) != len(names):
            yield Problem(
                line,
                f"{len(fields)} of {len(names)} fields, in the row that begins {shown(','.join(fields))}",
            )
            continue
        values = dict(zip(names, map(str.strip, fields), strict=True))
        for name in ignored:
            del values[name]
        if ignored:
            values = {name: _as_it_was(value) for name, value in values.items()}
        # One look at the row as a whole, since nearly every row is clean. It comes before the values are
        # used and looks at the fields unstripped: strip() takes some control characters away unseen.
        text = "".join(fields)
        if not text.isprintable() or "\ufffd" in text or len(text) > MAX_FIELD:
            faults = [
                fault
                for name, field in zip(names, fields, strict=True)
                if name not in ignored and (fault := _fault(name, field))
            ]
            if faults:
                yield Problem(line, "; ".join(faults), {name: _kept(value) for name, value in values.items()})
                continue
        yield Row(line, values)


def _records(lines: _Lines) -> Iterator[tuple[int, list[str] | str]]:
    """Each record that is not blank, taken apart, or the reason why it cannot be; with its first line."""
    for number, line in lines:
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
            if kind := foreign_kind(line):
                raise FileRefused(f"line 1: this is {kind}, not CSV")
        if not line or line.isspace():
            continue
        if len(line) > MAX_LINE:
            yield number, f"a line of more than {MAX_LINE:,} bytes"
            continue
        text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
        # A line without a quotation mark needs no CSV parser, and most lines have none.
        yield number, text.split(",") if '"' not in text else _quoted(number, text, lines)


def _quoted(number: int, text: str, lines: _Lines) -> list[str] | str:
    """The fields of a record with quotation marks, or why it cannot be taken apart.

    A quoted field may go on over the next lines, and one that is never closed would swallow the file: at
    most MAX_FIELD characters are read on. A line break is a control character and no field may hold it.
    """
    last = number

    def physical_lines() -> Iterator[str]:
        nonlocal last
        yield text
        room = MAX_FIELD
        for last, line in lines:  # noqa: B007 (read by the enclosing function)
            yield line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            room -= len(line)
            if room < 0:
                return

    try:
        # Values are stripped anyway, so a space before a quotation mark is no reason to misread it.
        fields = next(csv.reader(physical_lines(), strict=True, skipinitialspace=True))
    except csv.Error as error:
        reason = (
            "bad quoting (a field that begins with a quotation mark ends with one; inside, each is doubled)"
        )
        if str(error).startswith("field larger"):
            reason = f"a field of more than {MAX_FIELD:,} characters"
    else:
        if last == number:
            return fields
        reason = "a line break inside a field, or a quotation mark that is not closed on its line"
    if last == number:
        return f"{reason}: {shown(text)}"
    return (
        f"{reason}: {shown(text)}; lines {number} to {last} were taken for one row and none of them is read"
    )


def _as_it_was(value: str) -> str:
    """A value of the file of refused rows without the apostrophe that keeps spreadsheets from running it."""
    return value[1:] if value[:1] == "'" and value[1:2] in _LIKE_A_FORMULA else value


def _fault(name: str, field: str) -> str:
    """What no field may be or hold, or ``""``."""
    if len(field) > MAX_FIELD:
        return f"{name}: {len(field):,} characters, more than {MAX_FIELD:,}: {shown(field)}"
    match = UNREADABLE.search(field)
    if match is None:
        return ""
    if match[0] >= "\ud800":
        return f"{name}: {shown(field)} is not UTF-8; save the file as UTF-8"
    return f"{name}: the control character U+{ord(match[0]):04X} in {shown(field)}"


def _kept(value: str) -> str:
    """A value for the file of refused rows: fit to be written, and still refused if it is not corrected."""
    return readable(value if len(value) <= MAX_FIELD else value[:MAX_FIELD] + "…")


def _header(
    records: Iterator[tuple[int, list[str] | str]], required: Sequence[str], optional: Sequence[str]
) -> list[str]:
    """The column names of the file, in lower case; raises FileRefused if they are not those expected."""
    line, fields = next(records, (1, "the file is empty"))
    expected = f"expected are the columns {','.join(required)}"
    if optional:
        expected += f" and, if wanted, {','.join(optional)}"
    if isinstance(fields, str):
        raise FileRefused(f"line {line}: {fields}; {expected}")
    if fields[0].lstrip().startswith("[") and '"' in fields[0]:
        raise FileRefused(f"line {line}: this is PGN, not CSV; {expected}")
    names = [field.strip().lower() for field in fields]
    times = Counter(names)
    known = {*required, *optional, *IGNORED}
    faults = (
        ("missing", [name for name in required if name not in times]),
        ("unknown", [name for name in times if name not in known]),
        ("there more than once", [name for name in times if times[name] > 1]),
    )
    said = [
        f"{fault}: {', '.join(map(shown, wrong[:_NAMED_AT_MOST]))}{', …' * (len(wrong) > _NAMED_AT_MOST)}"
        for fault, wrong in faults
        if wrong
    ]
    if said:
        raise FileRefused(f"line {line}: columns {'; '.join(said)}; {expected}, separated by commas")
    return names
