"""Writing rating lists as FIDE writes them today, byte for byte: TXT with CRLF, XML with LF, both ASCII.

Numbers must be within the reader's limits. Some text is lost:

* TXT has only ASCII letters. Accents are removed, ß becomes ss and ł becomes l; a letter without such a
  replacement becomes a question mark. XML keeps every letter, as a character reference.
* A TXT name is cut after 60 characters. "Other titles" that don't fit are dropped from the end. FIDE lets
  them run over, which makes the row a character too long for every reader.
* A control character becomes a question mark in both.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from ratings.formats.frl.layouts import COMBINED, COMBINED_HEADER, SINGLE, SINGLE_HEADER, Layout
from ratings.formats.frl.rows import FideControl, FideRating, PlayerRow
from ratings.formats.frl.xml import DESCRIPTION, END, rating_elements

MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
"""Month labels in the header of a list for one control."""

_LONGEST_NAME: Final = 60
_LONGEST_TITLES: Final = 15
_UNRATED: Final = FideRating(None, 0, 0)
_LETTERS: Final = str.maketrans(
    {
        "ß": "ss",
        "ẞ": "SS",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "Ð": "D",
        "þ": "th",
        "Þ": "Th",
        "ħ": "h",
        "Ħ": "H",
        "ı": "i",
        "ə": "a",
        "Ə": "A",
        "’": "'",
        "‘": "'",
        "–": "-",
    }
)
"""Letters that don't decompose into an ASCII letter and an accent."""

_NOT_ASCII: Final = re.compile("[^ -~]")
_NOT_XML: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def combined_txt(rows: Iterable[PlayerRow]) -> Iterator[bytes]:
    """Yield the lines of the combined TXT list."""
    return _txt(COMBINED, COMBINED_HEADER, rows, tuple(FideControl))


def single_txt(rows: Iterable[PlayerRow], control: FideControl, year: int, month: int) -> Iterator[bytes]:
    """Yield the lines of the TXT list for one control and month."""
    header = SINGLE_HEADER % f"{MONTHS[month - 1]}{year % 100:02}"
    return _txt(SINGLE, header, rows, (control,))


def combined_xml(rows: Iterable[PlayerRow]) -> Iterator[bytes]:
    """Yield the combined XML list, piece by piece."""
    return _xml(rows, tuple(FideControl))


def single_xml(rows: Iterable[PlayerRow], control: FideControl) -> Iterator[bytes]:
    """Yield the XML list for one control, piece by piece."""
    return _xml(rows, (control,))


def _txt(
    layout: Layout, header: str, rows: Iterable[PlayerRow], controls: Sequence[FideControl]
) -> Iterator[bytes]:
    line = "".join(f"%-{column.end - column.start}s" for column in layout.columns) + "\r\n"
    yield f"{header}\r\n".encode("ascii")
    for row in rows:
        name, titles = in_ascii(row.name)[:_LONGEST_NAME], _fitting(row.other_titles)
        yield (line % _values(row, name, titles, controls)).encode("ascii")


def _xml(rows: Iterable[PlayerRow], controls: Sequence[FideControl]) -> Iterator[bytes]:
    ratings = rating_elements(controls).values()
    tags = ["fideid", "name", *DESCRIPTION, *(tag for rating in ratings for tag in rating), *END]
    record = "<player>\n" + "".join(f"<{tag}>%s</{tag}>\n" for tag in tags) + "</player>\n"
    yield b"<playerslist>\n"
    for row in rows:
        name = escape(_NOT_XML.sub("?", row.name))
        text = record % _values(row, name, row.other_titles, controls)
        yield text.encode("ascii", "xmlcharrefreplace")
    yield b"</playerslist>\n"


def _values(
    row: PlayerRow, name: str, other_titles: str, controls: Sequence[FideControl]
) -> tuple[object, ...]:
    """Return the values of a row from left to right."""
    return (
        row.fide_id,
        name,
        row.federation,
        row.sex,
        row.title,
        row.women_title,
        other_titles,
        row.arena_title,
        *_numbers(row, controls),
        row.birth_year or 0,
        row.flag,
    )


def _numbers(row: PlayerRow, controls: Sequence[FideControl]) -> Iterator[int]:
    """Yield rating, games and K of each control; 0 for a missing value."""
    for control in controls:
        rating, games, k = getattr(row, control) or _UNRATED
        yield from (rating or 0, games, k)


def in_ascii(text: str) -> str:
    """Return the text in the ASCII letters of a TXT list."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text.translate(_LETTERS))
        text = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return _NOT_ASCII.sub("?", text)


def _fitting(titles: str) -> str:
    """Return as many of the comma-separated titles as fit."""
    while len(titles) > _LONGEST_TITLES and titles:
        titles = titles.rpartition(",")[0]
    return titles
