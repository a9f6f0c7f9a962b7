"""The API for whoever builds on it: as a page, and as OpenAPI."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from ratings.arena.api.public.paged import PublicView
from ratings.arena.api.schema import openapi


@extend_schema(exclude=True)
class SchemaView(PublicView):
    """OpenAPI 3.1."""

    def get(self, request: Request) -> Response:
        """The description of all operations."""
        return Response(openapi())
