"""Reading request bodies, and never more of them than is allowed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from math import isfinite
from typing import IO, Any, Final

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from ratings.arena.api.problems import Problem

NDJSON: Final = "application/x-ndjson"
"""Media type of JSON objects, one on each line."""

LINES: Final = "application/octet-stream"
"""Another media type for the same, which generated clients send."""

MOST_OF_ONE: Final = 256 * 1024
"""Maximum number of bytes in a body with one object; a game with its moves has a few kilobytes."""

_MOST_DIGITS: Final = 18
"""Maximum number of digits in a whole number, so that every number fits into a column."""

_SHOWN: Final = 40


class BoundedJSONParser(BaseParser):
    """A parser for one JSON object of at most MOST_OF_ONE bytes."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the object; raises ParseError, or Problem 413 if the body has too many bytes."""
        if parser_context and (announced_bytes(parser_context["request"].META) or 0) > MOST_OF_ONE:
            raise too_large(MOST_OF_ONE)
        content = stream.read(MOST_OF_ONE + 1)
        if len(content) > MOST_OF_ONE:
            raise too_large(MOST_OF_ONE)
        return json_object(content)


def json_object(content: bytes, *, check_texts: bool = True) -> dict[str, Any]:
    """Return the contents of a JSON object; raises ParseError with a message for the sender.

    Without ``check_texts`` the reader of the fields has to report texts that can't be stored.
    """
    try:
        # Decoded first: from bytes, json would also accept UTF-16 and encoded lone surrogates.
        found = json.loads(
            content.decode(),
            parse_constant=_no_number,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_each_once,
        )
        if check_texts and b"\\u" in content:
            _check_texts(found)
    except UnicodeDecodeError:
        raise ParseError(_("This isn’t UTF-8.")) from None
    except RecursionError:
        raise ParseError(_("This JSON is nested too deeply.")) from None
    except ValueError as error:
        raise ParseError(_("This is not JSON: %(why)s.") % {"why": str(error)[:200]}) from None
    if not isinstance(found, dict):
        raise ParseError(_("The body must be a JSON object: {…}."))
    return found


def too_large(most: int) -> Problem:
    """Return the answer to a body with too many bytes."""
    told = _("The body is too large: at most %(most)s bytes are read.") % {"most": most}
    return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", told, most=most)


def announced_bytes(meta: Mapping[str, Any]) -> int | None:
    """Return the length of a body according to its request; None if the request doesn't give it."""
    try:
        return int(meta.get("CONTENT_LENGTH") or "")
    except ValueError:
        return None


def _no_number(word: str) -> None:
    raise ValueError(_("%(word)s is not a number in JSON") % {"word": word})


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(_("the number %(number)s is too large") % {"number": text[:_SHOWN]})
    return number


def _whole(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(_("the number %(number)s… is too long") % {"number": text[:_SHOWN]})
    return int(text)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Duplicate names are refused, since it is unclear which value is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(_("“%(name)s” appears twice") % {"name": twice[:_SHOWN]})
    return found


def _check_texts(value: Any) -> None:
    """Refuse NUL and lone surrogates: no database stores them, and no answer could repeat a surrogate."""
    if isinstance(value, str):
        if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise ValueError(_("a string contains a NUL byte or a lone surrogate"))
    elif isinstance(value, dict):
        for name, inner in value.items():
            _check_texts(name)
            _check_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_texts(inner)
