"""Many objects in one request: a line of JSON for each, and a line of JSON for each answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import IO, Any, Final

from django.http import HttpResponse
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from ratings.arena.api.dry_runs import MOST_DRY_LINES, is_dry
from ratings.arena.api.games import problem_of
from ratings.arena.api.parsing import LINES, NDJSON, announced_bytes, json_object, too_large
from ratings.arena.api.problems import Problem
from ratings.formats import problems
from ratings.formats.lines import read_lines

MOST_LINES: Final = 10_000
MOST_OF_LINE: Final = 64 * 1024
"""Maximum number of bytes in a line; a longer line is refused and not kept."""

MOST_BYTES: Final = 64 * 1024 * 1024

AT_ONCE: Final = 4
"""Maximum number of requests handled by a process at once, because each keeps its games in memory."""

_places = BoundedSemaphore(AT_ONCE)


class LinesParser(BaseParser):
    """A parser that reads the lines of a body one by one, as they are needed."""

    media_type = NDJSON

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Iterator[bytes]:
        """Return the lines with their ends. A line of more than MOST_OF_LINE bytes may be cut."""
        return read_lines(stream, MOST_OF_LINE)  # type: ignore[arg-type]  # only its read() is asked for


class UnnamedLinesParser(LinesParser):
    """A parser of the same lines from generated clients, which know no media type for lines."""

    media_type = LINES


LINES_PROBLEMS: Final = {
    411: problem_of("The request has no Content-Length."),
    413: problem_of("Too many bytes or lines; nothing was stored."),
    503: problem_of("Too many such requests at once; wait as long as Retry-After says."),
}


@contextmanager
def lines_of(
    request: Request, *, check_texts: bool = False
) -> Iterator[Iterator[tuple[int, dict[str, Any] | problems.Problem]]]:
    """Give each line that isn't blank with its number: an object, or what is wrong with it.

    One of AT_ONCE places is occupied meanwhile. ``check_texts``: as in ``json_object``. Raises Problem for
    the request as a whole.
    """
    _check_length(request)
    with _place():
        yield ((number, _object(number, line, check_texts)) for number, line in _lines(request))


def verdicts_response(request: Request, verdicts: Any) -> HttpResponse:
    """Return verdicts as lines, in the media type in which the lines were sent."""
    answer = (json.dumps(one) + "\n" for one in verdicts)
    sent_as = (request.content_type or NDJSON).partition(";")[0].strip().lower()
    return HttpResponse(answer, content_type=sent_as)


def _check_length(request: Request) -> None:
    """Refuse a body that is too long before reading any of it."""
    length = announced_bytes(request.META)
    if length is None:
        told = _("Send Content-Length with the length of the body.")
        raise Problem(HTTPStatus.LENGTH_REQUIRED, "length-required", told)
    if length > MOST_BYTES:
        raise too_large(MOST_BYTES)


@contextmanager
def _place() -> Iterator[None]:
    """Occupy one of AT_ONCE places; raises Problem 503 if all are taken."""
    if not _places.acquire(blocking=False):
        raise Problem(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "busy",
            _("Too many requests with many lines at once. Nothing was stored. Try again in 2 seconds."),
            headers={"Retry-After": "2"},
        )
    try:
        yield
    finally:
        _places.release()


def _lines(request: Request) -> Iterator[tuple[int, bytes]]:
    """Yield each line that isn't blank with its number; raises Problem 413 for too many."""
    most = MOST_DRY_LINES if is_dry(request) else MOST_LINES
    try:
        for number, line in enumerate(request.data, 1):
            if number > most:
                told = _("More than %(most)s lines. Nothing was stored. Send fewer in one request.")
                raise Problem(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    "too-many-lines",
                    told % {"most": most},
                    most=most,
                )
            if not line.isspace():
                yield number, line
    except OSError:
        raise ParseError(_("The body ended early. Nothing was stored.")) from None


def _object(number: int, line: bytes, check_texts: bool) -> dict[str, Any] | problems.Problem:
    if len(line) > MOST_OF_LINE:
        told = _("This line is too long: at most %(most)s bytes are allowed.") % {"most": MOST_OF_LINE}
        return problems.Problem(number, told)
    try:
        return json_object(line, check_texts=check_texts)
    except ParseError as error:
        return problems.Problem(number, str(error))
