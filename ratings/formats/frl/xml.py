"""Reading the XML lists, record by record.

A record as FIDE writes it is plain: elements in one order, without attributes, references or comments. One
pattern splits it, several times faster than a parser that makes a call for each element. A record that
doesn't match is parsed as XML and brought into that form, so the result doesn't depend on the pattern.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, NamedTuple, TypeVar
from xml.etree.ElementTree import ParseError
from xml.sax.saxutils import escape

from defusedxml.ElementTree import fromstring

from ratings.formats.frl.layouts import Part, PartReader, Parts, Players, no_rating, pieces, players
from ratings.formats.frl.rows import FideControl, born_and_flag, described, fide_rating, in_utf_8
from ratings.formats.problems import FileRefused, Problem, Remark, shown

T = TypeVar("T")

DESCRIPTION: Final = {
    "country": "federation",
    "sex": "sex",
    "title": "title",
    "w_title": "women_title",
    "o_title": "other_titles",
    "foa_title": "arena_title",
}
END: Final = {"birthday": "birth", "flag": "flag"}
"""Elements at the end of a record, with their fields; ID and name come first, ratings between."""

_PREFIXES: Final = {FideControl.STANDARD: "", FideControl.RAPID: "rapid_", FideControl.BLITZ: "blitz_"}

_CHUNK: Final = 1 << 18
_MAX_RECORD: Final = 1 << 16
"""Maximum number of bytes in a record; typical is 440."""

_RECORD_END: Final = b"</player>"
_DECLARATION: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\s[^<>]*\?>)?\s*")
_ENCODING: Final = re.compile(rb"encoding\s*=\s*[\"']([^\"']*)")
_ROOT: Final = re.compile(rb"<playerslist\s*>\s*")
_LIST_END: Final = re.compile(rb"</playerslist\s*>\s*")
_BLANKS: Final = re.compile(rb"\s*")
_ELEMENT: Final = re.compile("<([a-z_]+)>([^<]*)<")

_Elements = Mapping[str, str]


class _Repaired(NamedTuple):
    """The seven parts of a record, and what was left blank to obtain them."""

    parts: tuple[bytes, ...]
    remarks: tuple[str, ...]


_Record = tuple[bytes, ...] | _Repaired | str
"""The seven parts of a record, or why it has none."""


@dataclass(frozen=True)
class Beginning:
    """An XML list opened at its first record: the bytes read so far, and that record's line."""

    stream: BinaryIO
    buffer: bytes
    line: int

    @property
    def combined(self) -> bool:
        """True if the first record has ratings for all three controls."""
        return b"<rapid_rating" in self.buffer.partition(_RECORD_END)[0]


def beginning_of(stream: BinaryIO) -> Beginning:
    """Read up to the first record; raises FileRefused if this isn't an XML list, or has a DOCTYPE."""
    buffer = b""
    while _RECORD_END not in buffer and len(buffer) <= _MAX_RECORD and (chunk := stream.read(_CHUNK)):
        buffer += chunk
    start = _after(_DECLARATION, buffer, 0)
    line = 1 + buffer.count(b"\n", 0, start)
    encoding = _ENCODING.search(buffer, 0, start)
    if encoding and encoding[1].lower() not in (b"utf-8", b"us-ascii"):
        raise FileRefused(f"line {line}: the encoding is {_begin(encoding[1])}; it must be UTF-8")
    root = _ROOT.match(buffer, start)
    if root is None:
        _refuse_markup(buffer[start : start + 2], line)
        raise FileRefused(
            f"line {line}: {_begin(buffer[start:])} isn’t the start of a FIDE rating list; "
            "it must be <playerslist>"
        )
    line += root[0].count(b"\n")
    if _RECORD_END not in buffer:
        _refuse_markup(buffer, line)
        raise FileRefused(f"line {line}: the list doesn’t have a single complete <player>")
    return Beginning(stream, buffer[root.end() :], line)


def rating_elements(controls: Sequence[FideControl]) -> dict[FideControl, _Elements]:
    """Return the elements of each rating in a list of these controls. A single control isn't named."""
    return {
        control: {
            f"{_PREFIXES[control] * (len(controls) > 1)}{element}": element
            for element in ("rating", "games", "k")
        }
        for control in controls
    }


def xml_players(
    beginning: Beginning, controls: Sequence[FideControl], made: Callable[[Part], T]
) -> Iterator[Players[T] | Remark | Problem]:
    """Yield players, a :class:`Remark` for each blanked value, a :class:`Problem` for each record left out.

    ``controls``: the list's controls. ``made``: converts a part. Raises FileRefused if the file is cut off,
    and for markup that lists never contain and that could change the meaning of a text: DOCTYPE, comments,
    CDATA, processing instructions.
    """
    elements = rating_elements(controls)
    return players(
        pieces(_records(beginning, [elements.get(control, {}) for control in FideControl])),
        Parts(
            _apart,
            _alone,
            in_utf_8,
            [
                lambda raw, remarks: described(_texts(DESCRIPTION, raw), remarks),
                *(_rating_of(control, elements.get(control)) for control in FideControl),
                lambda raw, remarks: born_and_flag(_texts(END, raw), remarks),
            ],
        ),
        made,
    )


def _apart(records: Sequence[_Record]) -> Sequence[Sequence[bytes]]:
    """Return the parts of records, column by column."""
    for record in records:
        if isinstance(record, _Repaired | str):
            raise ValueError(str(record))
    return list(zip(*records, strict=True))


def _alone(record: _Record) -> tuple[Sequence[bytes], list[str]]:
    """Return a record's parts and what was left blank; raises ValueError if it must be left out."""
    if isinstance(record, str):
        raise ValueError(record)
    if isinstance(record, _Repaired):
        return record.parts, list(record.remarks)
    return record, []


def _records(beginning: Beginning, ratings: Sequence[_Elements]) -> Iterator[tuple[int, _Record]]:
    """Yield each record as its parts, or why it has none."""
    buffer, line, position = beginning.buffer, beginning.line, 0
    plain = _plain(ratings)
    while True:
        if match := plain.match(buffer, position):
            yield line, match.groups()
            end = match.end()
        elif (found := buffer.find(_RECORD_END, position)) >= 0:
            end = found + len(_RECORD_END)
            yield line, _parsed(buffer[position:end], line, ratings)
            end = _after(_BLANKS, buffer, end)
        else:
            buffer = buffer[position:]
            if len(buffer) > _MAX_RECORD:
                raise FileRefused(f"line {line}: a record of more than {_MAX_RECORD:,} bytes")
            if not (chunk := beginning.stream.read(_CHUNK)):
                break
            buffer += chunk
            position, end = 0, _after(_BLANKS, buffer, 0)
        line += buffer.count(b"\n", position, end)
        position = end
    if not _LIST_END.fullmatch(buffer):
        _refuse_markup(buffer, line)
        raise FileRefused(
            f"line {line}: the file is incomplete: {_begin(buffer)} isn’t the </playerslist> "
            "that ends a list; download it again"
        )


def _plain(ratings: Sequence[_Elements]) -> re.Pattern[bytes]:
    """Build the pattern of a record as FIDE writes it. Its groups are the seven parts of a row."""

    def elements(tags: _Elements) -> str:
        # Older lists have no FOA titles.
        return "".join(rf"(?:<{tag}>[^<&]*</{tag}>\s*){'?' * (tag == 'foa_title')}" for tag in tags)

    parts = "".join(f"({elements(part)})" for part in (DESCRIPTION, *ratings, END))
    return re.compile(
        rf"<player>\s*<fideid>([^<&]*)</fideid>\s*<name>([^<&]*)</name>\s*{parts}</player>\s*".encode()
    )


def _parsed(record: bytes, line: int, ratings: Sequence[_Elements]) -> _Record:
    """Return the parts of a record that isn't plain, or why it can't be read."""
    _refuse_markup(record, line)
    try:
        player = fromstring(record, forbid_dtd=True)
    except ParseError as error:
        fault, last = str(error).partition(":")[0], line + record.count(b"\n")
        return f"{fault}: lines {line} to {last} aren’t XML and weren’t read: {_begin(record)}"
    deciding = ("fideid", *(element for elements in ratings for element in elements))
    texts: dict[str, str] = {}
    faulty: dict[str, str] = {}
    for element in player:
        if element.tag in texts or len(element):
            faulty[element.tag] = "contains another element" if len(element) else "appears twice"
        texts[element.tag] = element.text or ""
    if deciding_too := [f"{tag} {fault}" for tag, fault in faulty.items() if tag in deciding]:
        return f"{', '.join(deciding_too)}: {_begin(record)}"
    needed = ("fideid", *(next(iter(elements)) for elements in ratings if elements))
    if missing := [tag for tag in needed if tag not in texts]:
        return f"without {', '.join(missing)}: {_begin(record)}"
    faulty |= {tag: "is missing" for tag in ("name", "country") if tag not in texts}
    texts |= dict.fromkeys(faulty, "")
    parts = (
        "".join(f"<{tag}>{escape(texts.get(tag, ''))}</{tag}>" for tag in part)
        for part in (DESCRIPTION, *ratings, END)
    )
    encoded = tuple(text.encode() for text in (texts["fideid"], texts["name"], *parts))
    known = {"name", *DESCRIPTION, *END}
    remarks = tuple(f"{tag} {fault}; left blank" for tag, fault in faulty.items() if tag in known)
    return _Repaired(encoded, remarks) if remarks else encoded


def _rating_of(control: FideControl, elements: _Elements | None) -> PartReader:
    """Return the reader of a control's rating; ``elements``: None if the list doesn't cover it."""
    if elements is None:
        return no_rating
    return lambda raw, _: fide_rating(control, _texts(elements, raw))


def _texts(elements: _Elements, raw: bytes) -> dict[str, str]:
    """Return the values of a part by field."""
    return {elements[tag]: text.strip() for tag, text in _ELEMENT.findall(in_utf_8(raw))}


def _after(pattern: re.Pattern[bytes], buffer: bytes, position: int) -> int:
    """Return where the pattern's match at this position ends; the position itself if there is none."""
    match = pattern.match(buffer, position)
    return match.end() if match else position


def _refuse_markup(text: bytes, line: int) -> None:
    for mark in (b"<!", b"<?"):
        if (place := text.find(mark)) >= 0:
            line += text.count(b"\n", 0, place)
            raise FileRefused(
                f"line {line}: {_begin(text[place:])} is refused: a rating list has no DOCTYPE, entities, "
                "comments, CDATA sections or instructions"
            )


def _begin(text: bytes) -> str:
    return shown(" ".join(in_utf_8(text[:200]).split()))
