"""The API speaks JSON, whatever a client says that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.request import Request


class AlwaysJSON(BaseContentNegotiation):
    """The first renderer of a view; the parser for the content type, or none."""

    def select_parser(self, request: Request, parsers: Sequence[BaseParser]) -> BaseParser | None:
        """By the content type, without its parameters."""
        asked = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == asked), None)

    def select_renderer(
        self, request: Request, renderers: Sequence[Any], format_suffix: str | None = None
    ) -> Any:
        """The first."""
        return renderers[0], renderers[0].media_type
