"""Opening a rating list: TXT or XML, plain or as the one file in a ZIP archive."""

import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final, TypeVar, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from ratings.formats.frl.parts import Part, Players, itself, one_by_one
from ratings.formats.frl.rows import FideControl, PlayerRow
from ratings.formats.frl.txt import Opened, header_of, txt_players
from ratings.formats.frl.xml import Beginning, beginning_of, xml_players
from ratings.formats.problems import FileRefused, Problem, shown

T = TypeVar("T")

MAX_UNPACKED: Final = 4_000_000_000
"""Bytes of the file in an archive; the largest there is, the XML list of October 2026, has 856 million."""

MAX_RATIO: Final = 100
"""How many times larger than its packed form the file may be. Rating lists are ten to twenty times larger;
deflate can pack a bomb to a thousandth."""

_ENCRYPTED: Final = 1
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_FIRST_BYTES: Final = 64


@dataclass(frozen=True)
class RatingListFile:
    """A rating list whose beginning has been read; its players are read as they are taken, once.

    ``controls``: those of which the rows have ratings. ``inner_name``: of the file in the archive, or "".
    """

    opened: Opened | Beginning
    controls: tuple[FideControl, ...]
    inner_name: str

    @property
    def kind(self) -> str:
        return "TXT" if isinstance(self.opened, Opened) else "XML"

    @property
    def month(self) -> str:
        """As the header names it, such as OCT26; "" in combined lists and in XML.

        A hint only: the list of May 2011 says May10.
        """
        return self.opened.month if isinstance(self.opened, Opened) else ""

    def players(self, made: Callable[[Part], T]) -> Iterator[Players[T] | Problem]:
        """The players, many at once, and a :class:`Problem` for each row that is none.

        ``made``: what is made of a part of a row, called once for each that differs. Raises FileRefused where
        the file breaks off.
        """
        with _sound_archive():
            if isinstance(self.opened, Opened):
                yield from txt_players(self.opened, self.controls, made)
            else:
                yield from xml_players(self.opened, self.controls, made)

    @property
    def rows(self) -> Iterator[PlayerRow | Problem]:
        """The same, player by player."""
        for some in self.players(itself):
            if isinstance(some, Problem):
                yield some
            else:
                yield from one_by_one(some)


def open_frl(stream: BinaryIO, control: FideControl | None = None) -> RatingListFile:
    """The rating list in a stream that can seek, from its beginning.

    ``control``: of a list of one control, which says nowhere of which; None for a combined list. Raises
    FileRefused if there is no rating list in it, or not one that fits ``control``.
    """
    if not _first_bytes(stream).startswith(_ZIP):
        return _opened(stream, control, "")
    with _sound_archive():
        inner_name, member = _only_member(stream)
        if _first_bytes(member).startswith(_ZIP):
            raise FileRefused(f"{shown(inner_name)} in the archive is an archive itself; pack the list alone")
        return _opened(member, control, inner_name)


def _opened(stream: BinaryIO, control: FideControl | None, inner_name: str) -> RatingListFile:
    opened = (
        beginning_of(stream)
        if _first_bytes(stream).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
        else header_of(stream)
    )
    return RatingListFile(opened, _controls(control, combined=opened.combined), inner_name)


def _controls(control: FideControl | None, *, combined: bool) -> tuple[FideControl, ...]:
    if combined and control:
        raise FileRefused(f"this is a combined list of all controls, not one of {control} alone")
    if combined:
        return tuple(FideControl)
    if control is None:
        raise FileRefused("this list is of one control and does not say of which: standard, rapid or blitz?")
    return (control,)


def _first_bytes(stream: BinaryIO) -> bytes:
    first = b""
    while len(first) < _FIRST_BYTES and (more := stream.read(_FIRST_BYTES - len(first))):
        first += more
    stream.seek(0)
    return first


def _only_member(stream: BinaryIO) -> tuple[str, BinaryIO]:
    """The name of the one file in the archive, and the file; raises FileRefused if it cannot be read safely.

    The sizes are those that the archive states: no more than that is unpacked, whatever it holds.
    """
    try:
        archive = ZipFile(stream)
        members = [member for member in archive.infolist() if not member.filename.endswith("/")]
        if len(members) != 1:
            raise FileRefused(f"the archive has {len(members)} files; expected is the rating list alone")
        (member,) = members
        name, packed, size = shown(member.filename), member.compress_size, member.file_size
        if member.flag_bits & _ENCRYPTED:
            raise FileRefused(f"{name} in the archive is encrypted")
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise FileRefused(f"{name} in the archive is packed by a method other than deflate")
        if size > MAX_UNPACKED or size > packed * MAX_RATIO:
            raise FileRefused(
                f"{name} in the archive has {size:,} bytes, packed {packed:,}; at most {MAX_UNPACKED:,} and "
                f"{MAX_RATIO} times the packed size are read"
            )
        return member.filename, cast(BinaryIO, archive.open(member))
    except (NotImplementedError, RuntimeError, ValueError, OSError, struct.error) as error:
        raise BadZipFile(str(error)) from error


@contextmanager
def _sound_archive() -> Iterator[None]:
    try:
        yield
    except (BadZipFile, EOFError, zlib.error) as error:
        raise FileRefused(f"the archive is damaged or not whole ({error}); fetch it again") from error
