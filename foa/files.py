"""Lists as CSV, XLSX and JSON files, made while they are sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, islice
from threading import BoundedSemaphore
from time import monotonic, sleep, thread_time
from typing import Any, Final, Generic, TypeVar

from django.conf import settings
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext

from foa.spreadsheet import XLSX_ROWS, Cell, csv_pieces, xlsx_pieces

_NO_MOMENT: Final = datetime(2000, 1, 1, tzinfo=UTC)
_TOGETHER: Final = 1000

AT_ONCE: Final = 1
"""Maximum files a process makes at once: each takes a thread, and PostgreSQL finds all rows first."""

RETRY_AFTER: Final = 30
"""Seconds after which to retry if all places are taken."""

_PAUSES: Final = 6
"""Seconds of pause for each second in which a piece waited for the processor."""

_LONGEST_PAUSE: Final = 1.0
"""Maximum seconds of a pause, since a slow database doesn't mean that many visitors wait."""

_places: Final = BoundedSemaphore(AT_ONCE)

XLSX_IN_A_REQUEST: Final = 5_000
"""Maximum rows of an XLSX file from a page: a row takes three times as long as in CSV, and the file is
complete before its first byte is sent. Commands write longer ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    """List to be written to a file.

    ``name``: file name without its extension. ``source``: the queryset ``rows`` are made from; both are read
    once, while the file is made. ``noun``: key of the rows in JSON. ``about``: facts about the list, in JSON
    and on a second sheet of XLSX. ``moment``: creation date written into the file, never that of the
    download. ``some``: part of ``source`` that is quicker to find; if it is too long already, the rest isn't
    looked up.
    """

    name: str
    columns: Sequence[str]
    source: QuerySet[Any]
    rows: Iterable[Sequence[Cell]]
    noun: str
    about: Mapping[str, Cell] = field(default_factory=dict)
    moment: datetime = _NO_MOMENT
    some: QuerySet[Any] | None = None


F = TypeVar("F", bound=TableFile, contravariant=True)


@dataclass(frozen=True, slots=True)
class FileFormat(Generic[F]):
    """File format: its media type, and the function that turns a list into pieces of bytes.

    ``is_text``: True if a terminal can show it. ``most_rows``: maximum rows of a file from a page, for a
    format that has to be complete before its first byte is sent.
    """

    media_type: str
    pieces: Callable[[F], Iterator[bytes]]
    is_text: bool = True
    most_rows: int | None = None

    def is_too_long(self, file: F) -> bool:
        """Return whether the file has more than ``most_rows`` rows. Reads no row beyond that."""
        most = self.most_rows
        parts = [part.order_by() for part in (file.some, file.source) if part is not None]
        return most is not None and any(part[most : most + 1].exists() for part in parts)


def in_blocks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a thousand lines at a time: sending each line by itself would cost more than making it.

    The first line is a piece of its own. It doesn't wait for a row, so that a download starts at once.
    """
    lines = iter(lines)
    yield from islice(lines, 1)
    yield from iter(lambda: b"".join(islice(lines, _TOGETHER)), b"")


def format_asked_for(request: HttpRequest, formats: Mapping[str, FileFormat[Any]]) -> str | None:
    """Return the format that ``?format=`` asks for, or None for a page. Raises BadRequest for another one."""
    name = request.GET.get("format")
    if name is not None and name not in formats:
        raise BadRequest(
            gettext("This list is available as a page and in these formats: %(formats)s.")
            % {"formats": ", ".join(formats)}
        )
    return name


def file_response(file: F, name: str, kind: FileFormat[F]) -> HttpResponseBase:
    """Return the file in the format of this name, sent while it is made; 503 if too many are being made."""
    return download(lambda: kind.pieces(file), f"{file.name}.{name}", kind.media_type)


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> HttpResponseBase:
    """Return rows as a CSV file, for a list that has no other format. ``name``: without its extension."""
    return download(lambda: csv_pieces(columns, rows), f"{name}.csv", FORMATS["csv"].media_type)


def download(
    make: Callable[[], Iterable[bytes] | Iterable[str]], name: str, media_type: str
) -> HttpResponseBase:
    """Return a file that is sent while it is made; 503 with Retry-After if too many are being made."""
    if not _places.acquire(blocking=False):
        page = render_to_string("503.html", {"files": True})
        return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_AFTER)})
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return streamed(_in_its_place(make), media_type, headers)


def streamed(
    pieces: Iterator[bytes | str], media_type: str, headers: Mapping[str, str] | None = None
) -> HttpResponseBase:
    """Return pieces that are sent while they are made.

    The first piece is made before the status is sent, so that a database error can change it, and in the
    site's default language, like the other pieces.
    """
    response = StreamingHttpResponse(pieces, content_type=media_type, headers=headers)
    with translation.override(settings.LANGUAGE_CODE):
        first = next(pieces, b"")
    response.streaming_content = chain([first], pieces)
    return response


def _in_its_place(make: Callable[[], Iterable[bytes] | Iterable[str]]) -> Iterator[bytes | str]:
    try:
        pieces = make()
        try:
            yield from _beside_pages(pieces)
        finally:
            # A reader may leave early, and a workbook is in a temporary file.
            if close := getattr(pieces, "close", None):
                close()
    finally:
        _places.release()


def _beside_pages(pieces: Iterable[bytes] | Iterable[str]) -> Iterator[bytes | str]:
    """Pause after each piece, for longer the more it had to wait for the processor.

    So a file is made quickly on an idle machine, and slowly beside many visitors. Time spent waiting for the
    database counts too.
    """
    made: Iterator[bytes | str] = iter(pieces)
    while True:
        begun, used = monotonic(), thread_time()
        try:
            piece = next(made)
        except StopIteration:
            return
        waited = max(0.0, monotonic() - begun - (thread_time() - used))
        yield piece
        sleep(min(_LONGEST_PAUSE, _PAUSES * waited))


def _csv(file: TableFile) -> Iterator[bytes]:
    return map(str.encode, csv_pieces(file.columns, file.rows))


def _xlsx(file: TableFile) -> Iterator[bytes]:
    if file.source.order_by()[XLSX_ROWS : XLSX_ROWS + 1].exists():
        raise BadRequest(
            gettext(
                "An XLSX sheet holds %(rows)d rows, and this list has more. Filter the list, or use "
                "another format."
            )
            % {"rows": XLSX_ROWS}
        )
    return xlsx_pieces(file.columns, file.rows, file.moment, file.about)


def _json(file: TableFile) -> Iterator[bytes]:
    """Return one JSON object: ``about``, then the rows, one a line, with the columns as keys."""
    return in_blocks(_json_lines(file))


def _json_lines(file: TableFile) -> Iterator[bytes]:
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode
    about = "".join(f"{encode(name)}:{encode(value)},\n" for name, value in file.about.items())
    yield f"{{{about}{encode(file.noun)}:[".encode()
    between = "\n"
    for row in file.rows:
        yield f"{between}{encode(dict(zip(file.columns, row, strict=True)))}".encode()
        between = ",\n"
    yield b"\n]}\n"


FORMATS: Final[Mapping[str, FileFormat[TableFile]]] = {
    "csv": FileFormat("text/csv; charset=utf-8", _csv),
    "xlsx": FileFormat(
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _xlsx,
        is_text=False,
        most_rows=XLSX_IN_A_REQUEST,
    ),
    "json": FileFormat("application/json", _json),
}
"""Formats by file extension, which is also their name in addresses and commands."""
