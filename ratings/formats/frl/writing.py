"""Writing rating lists as FIDE writes them today, byte for byte: TXT with CRLF, XML with LF, both ASCII.

Numbers have to be within the limits that the reader knows. What a text cannot keep:

* TXT has no letters but ASCII. Accents are taken off, ß is ss, ł is l; a letter for which that is not known
  becomes a question mark. XML keeps every letter, as a character reference.
* A TXT name is cut after 60 characters. Of the "other titles" those at the end that do not fit are left out;
  FIDE lets them run over, and such a row is a character too long for every reader.
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
"""As the header of a list of one control names them."""

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
"""Letters that do not come apart into an ASCII letter and an accent."""

_NOT_ASCII: Final = re.compile("[^ -~]")
_NOT_XML: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def combined_txt(rows: Iterable[PlayerRow]) -> Iterator[bytes]:
    """The lines of the combined TXT list."""
    return _txt(COMBINED, COMBINED_HEADER, rows, tuple(FideControl))


def single_txt(rows: Iterable[PlayerRow], control: FideControl, year: int, month: int) -> Iterator[bytes]:
    """The lines of the TXT list of one control for a month."""
    header = SINGLE_HEADER % f"{MONTHS[month - 1]}{year % 100:02}"
    return _txt(SINGLE, header, rows, (control,))


def combined_xml(rows: Iterable[PlayerRow]) -> Iterator[bytes]:
    """The combined XML list, piece by piece."""
    return _xml(rows, tuple(FideControl))


def single_xml(rows: Iterable[PlayerRow], control: FideControl) -> Iterator[bytes]:
    """The XML list of one control, piece by piece."""
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
    """Return what stands in a row, from left to right."""
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
    """Rating, games and K of each control; 0 for what there is not."""
    for control in controls:
        rating, games, k = getattr(row, control) or _UNRATED
        yield from (rating or 0, games, k)


def in_ascii(text: str) -> str:
    """The text in the letters that a TXT list knows."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text.translate(_LETTERS))
        text = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return _NOT_ASCII.sub("?", text)


def _fitting(titles: str) -> str:
    """As many of the titles, which commas part, as have room."""
    while len(titles) > _LONGEST_TITLES and titles:
        titles = titles.rpartition(",")[0]
    return titles
