"""Physical lines of a byte stream in bounded memory, and recognition of foreign files by their first line."""

from collections.abc import Iterator
from typing import BinaryIO, Final

_CHUNK: Final = 1 << 18

ARCHIVE: Final = b"PK\x03\x04"
"""First bytes of a ZIP archive, such as a workbook."""

_SIGNATURES: Final = (
    (ARCHIVE, "a ZIP archive or a spreadsheet workbook"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"%PDF-", "a PDF document"),
    (b"\xff\xfe", "UTF-16 text (save it as UTF-8)"),
    (b"\xfe\xff", "UTF-16 text (save it as UTF-8)"),
    (b"<", "XML or HTML"),
)


def read_lines(stream: BinaryIO, limit: int) -> Iterator[bytes]:
    """Yield the stream's lines with their ends: LF, CRLF or CR, also mixed.

    A line of more than ``limit`` bytes may be cut, but what is left always has more than ``limit`` bytes, so
    its length gives it away. At most ``limit`` bytes and two chunks are held in memory.
    """
    rest = b""
    while chunk := stream.read(_CHUNK):
        buffer = rest + chunk
        # A CR at the very end is held back: its LF may begin the next chunk.
        end = max(buffer.rfind(b"\n"), buffer.rfind(b"\r", 0, -1)) + 1
        # bytes.splitlines splits at LF, CRLF and CR only; str.splitlines would also split at eight others.
        yield from buffer[:end].splitlines(keepends=True)
        rest = buffer[end:]
        if len(rest) > limit:
            # Keep the last byte, since it may be the first half of a CRLF.
            rest = rest[:limit] + rest[-1:]
    yield from rest.splitlines(keepends=True)


def foreign_kind(first_line: bytes) -> str:
    """Return the kind of file if the first line shows that it isn't text for these readers; else ``""``."""
    for signature, kind in _SIGNATURES:
        if first_line.startswith(signature):
            return kind
    return "a binary file (it contains NUL bytes)" if b"\0" in first_line else ""
