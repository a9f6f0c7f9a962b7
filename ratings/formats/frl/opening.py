"""Opening a rating list: TXT or XML, plain or as the only list in a ZIP archive."""

import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final, TypeVar, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from ratings.formats.frl.layouts import Part, Players
from ratings.formats.frl.rows import FideControl
from ratings.formats.frl.txt import Opened, header_of, txt_players
from ratings.formats.frl.xml import Beginning, beginning_of, xml_players
from ratings.formats.problems import FileRefused, Problem, Remark, shown

T = TypeVar("T")

MAX_UNPACKED: Final = 4_000_000_000
"""Maximum size in bytes of the unpacked file; the largest so far, the XML list of October 2026, has 856
million."""

MAX_RATIO: Final = 100
"""Maximum ratio of unpacked to packed size. Rating lists reach ten to twenty; a ZIP bomb can reach a
thousand."""

_ENCRYPTED: Final = 1
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_FIRST_BYTES: Final = 64
_MOST_MEMBERS: Final = 20
"""Maximum number of files in an archive that are searched for the list."""

_NO_LISTS: Final = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
"""Folders and files that operating systems add to archives by themselves."""


@dataclass(frozen=True)
class RatingListFile:
    """A rating list whose beginning has been read. Its players can be read once.

    ``controls``: the controls that have ratings in the rows. ``inner_name``: the file's name in the archive,
    or "". ``beside``: names of the files in the archive that aren't lists.
    """

    opened: Opened | Beginning
    controls: tuple[FideControl, ...]
    inner_name: str
    beside: tuple[str, ...] = ()

    @property
    def month(self) -> str:
        """The month as the header names it, such as OCT26; "" in combined lists and in XML.

        Only a hint: the list of May 2011 says May10.
        """
        return self.opened.month if isinstance(self.opened, Opened) else ""

    def players(self, made: Callable[[Part], T]) -> Iterator[Players[T] | Remark | Problem]:
        """Yield the players, many at once.

        There is a :class:`Remark` for each value repaired or left blank, and a :class:`Problem` for each row
        left out.

        ``made``: converts a part of a row, and is called once for each distinct part. Raises FileRefused if
        the file is cut off.
        """
        if self.beside:
            names = ", ".join(map(shown, self.beside))
            yield Remark(0, f"{shown(self.inner_name)} is the list in the archive; ignored: {names}")
        with _sound_archive():
            if isinstance(self.opened, Opened):
                yield from self.opened.remarks
                yield from txt_players(self.opened, self.controls, made)
            else:
                yield from xml_players(self.opened, self.controls, made)


def open_frl(stream: BinaryIO, control: FideControl | None = None) -> RatingListFile:
    """Open the rating list in a seekable stream, from its beginning.

    ``control``: the control of a list for one control, which the list itself doesn't name; None for a
    combined list. Raises FileRefused if there is no rating list in the stream, or none that matches
    ``control``.
    """
    if not is_archive(stream):
        opened = _opened(stream)
        return RatingListFile(opened, _controls(control, combined=opened.combined), "")
    with _sound_archive():
        opened, inner_name, beside = _only_list(stream)
        return RatingListFile(opened, _controls(control, combined=opened.combined), inner_name, beside)


def is_archive(stream: BinaryIO) -> bool:
    """Return True if a stream is a ZIP archive. The stream must be at its beginning and stays there."""
    return _first_bytes(stream).startswith(_ZIP)


def _opened(stream: BinaryIO) -> Opened | Beginning:
    if _first_bytes(stream).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return beginning_of(stream)
    return header_of(stream)


def _controls(control: FideControl | None, *, combined: bool) -> tuple[FideControl, ...]:
    if combined and control:
        raise FileRefused(f"this is a combined list, not a {control} list")
    if combined:
        return tuple(FideControl)
    if control is None:
        raise FileRefused(
            "this list is for one time control but doesn’t say which: standard, rapid or blitz?"
        )
    return (control,)


def _first_bytes(stream: BinaryIO) -> bytes:
    first = b""
    while len(first) < _FIRST_BYTES and (more := stream.read(_FIRST_BYTES - len(first))):
        first += more
    stream.seek(0)
    return first


def _only_list(stream: BinaryIO) -> tuple[Opened | Beginning, str, tuple[str, ...]]:
    """Return the list in an archive, its name, and the names of the other files.

    Raises FileRefused if there is no list, if there are several, or if it can't be read safely.
    """
    try:
        archive = ZipFile(stream)
        members = [member for member in archive.infolist() if not member.filename.endswith("/")]
        some = [member for member in members if not _put_there_by_itself(member.filename)]
        if not 0 < len(some) <= _MOST_MEMBERS:
            raise FileRefused(
                f"the archive has {len(some)} files; it must have the rating list, alone or with a few "
                "other files"
            )
        found: list[tuple[Opened | Beginning, str]] = []
        reasons = []
        for member in some:
            try:
                found.append((_opened(_inside(archive, member)), member.filename))
            except FileRefused as refusal:
                reasons.append(refusal)
    except (NotImplementedError, RuntimeError, ValueError, OSError, struct.error) as error:
        raise BadZipFile(str(error)) from error
    if len(found) > 1:
        names = ", ".join(shown(name) for _, name in found)
        raise FileRefused(f"the archive has {len(found)} rating lists: {names}; zip each one separately")
    if not found:
        if len(reasons) == 1:
            raise reasons[0]
        told = "; ".join(
            f"{shown(member.filename)}: {reason}" for member, reason in zip(some, reasons, strict=True)
        )
        raise FileRefused(f"none of the {len(some)} files in the archive is a rating list: {told}")
    ((opened, name),) = found
    return opened, name, tuple(member.filename for member in some if member.filename != name)


def _put_there_by_itself(name: str) -> bool:
    return any(part in _NO_LISTS or part.startswith("._") for part in name.split("/"))


def _inside(archive: ZipFile, member: ZipInfo) -> BinaryIO:
    """Open a file in the archive; raises FileRefused if it can't be read safely.

    The sizes are those stated by the archive. No more than that is unpacked, whatever the file contains.
    """
    name, packed, size = shown(member.filename), member.compress_size, member.file_size
    if member.flag_bits & _ENCRYPTED:
        raise FileRefused(f"{name} in the archive is encrypted")
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise FileRefused(f"{name} in the archive is compressed with a method other than deflate")
    if size > MAX_UNPACKED or size > packed * MAX_RATIO:
        raise FileRefused(
            f"{name} in the archive has {size:,} bytes, packed {packed:,}; at most {MAX_UNPACKED:,} and "
            f"{MAX_RATIO} times the packed size are read"
        )
    inner = cast(BinaryIO, archive.open(member))
    if is_archive(inner):
        raise FileRefused(f"{name} in the archive is an archive itself; zip only the list")
    return inner


@contextmanager
def _sound_archive() -> Iterator[None]:
    try:
        yield
    except (BadZipFile, EOFError, zlib.error) as error:
        raise FileRefused(f"the archive is damaged or incomplete ({error}); download it again") from error
