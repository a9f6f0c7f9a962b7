"""Reading the body of a request: never more of it than is allowed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import IO, Any, Final

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from ratings.arena.api.problems import Problem

MOST_OF_ONE: Final = 256 * 1024
"""Bytes of a body that is one object; a game with its moves has some kilobytes."""


class BoundedJSONParser(BaseParser):
    """One JSON object of at most MOST_OF_ONE bytes."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The object; raises ParseError, or Problem 413 for more bytes than are read."""
        content = stream.read(MOST_OF_ONE + 1)
        if len(content) > MOST_OF_ONE:
            raise too_large(MOST_OF_ONE)
        return json_object(content)


def json_object(content: bytes) -> dict[str, Any]:
    """What a JSON object says; raises ParseError in words for whoever wrote it."""
    try:
        found = json.loads(content, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise ParseError(_("This is not UTF-8.")) from None
    except RecursionError:
        raise ParseError(_("This JSON is nested too deeply.")) from None
    except ValueError as error:
        raise ParseError(_("This is not JSON: %(why)s.") % {"why": str(error)[:200]}) from None
    if not isinstance(found, dict):
        raise ParseError(_("A JSON object is expected: {…}."))
    return found


def too_large(most: int) -> Problem:
    """The answer to a body with too many bytes."""
    told = _("The body is too large: at most %(most)s bytes are read.") % {"most": most}
    return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", told, most=most)


def _no_number(word: str) -> None:
    raise ValueError(_("%(word)s is not a number in JSON") % {"word": word})
