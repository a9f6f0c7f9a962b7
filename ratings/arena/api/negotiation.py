"""Content negotiation: the API answers in JSON, whatever the client accepts."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

from ratings.arena.api.problems import Problem


class AlwaysJSON(BaseContentNegotiation):
    """A negotiation that picks the view's first renderer, and a parser by content type, if any."""

    def select_parser(self, request: Request, parsers: Sequence[BaseParser]) -> BaseParser | None:
        """Return the parser for the content type; raises Problem 415 for an unsupported one."""
        encoding = request.headers.get("Content-Encoding", "identity")
        charset = (request._request.content_params or {}).get("charset", "utf-8")
        if encoding.lower() != "identity" or charset.lower() not in ("utf-8", "utf8"):
            told = _("Send the body uncompressed, as UTF-8: %(what)s isn’t accepted.")
            what = charset if encoding.lower() == "identity" else encoding
            raise Problem(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "unsupported-media-type",
                told % {"what": what[:40]},
                headers={"Accept-Encoding": "identity"},
            )
        asked = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == asked), None)

    def select_renderer(
        self, request: Request, renderers: Sequence[Any], format_suffix: str | None = None
    ) -> Any:
        """Return the first renderer."""
        return renderers[0], renderers[0].media_type


class _Exact(JSONEncoder):
    def default(self, obj: Any) -> Any:
        """Encode an exact rating as a string with two decimals, which a number would lose."""
        return str(obj) if isinstance(obj, Decimal) else super().default(obj)


class ExactJSONRenderer(JSONRenderer):
    """JSON in the same form as on the pages."""

    encoder_class = _Exact


class SchemaOnly(BaseMetadata):
    """A pointer to the API's schema. DRF's own description would be a second one."""

    def determine_metadata(self, request: Request, view: Any) -> dict[str, str]:
        """Return the address of the schema."""
        return {"schema": reverse("arena:schema")}
