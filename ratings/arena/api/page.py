"""Documentation of the API for developers: as a page, and as OpenAPI."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import translation
from django.utils.decorators import method_decorator
from django.views.generic import TemplateView
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from foa.web.caching import cached_for_visitors
from ratings.arena.api.public.paged import PublicView
from ratings.arena.api.reference import objects, operations, problems
from ratings.arena.api.schema import openapi


@extend_schema(exclude=True)
class SchemaView(PublicView):
    """The address of the OpenAPI 3.1 document."""

    def get(self, request: Request) -> Response:
        """Return the description of all operations."""
        return Response(openapi())


@method_decorator(cached_for_visitors, name="dispatch")
class ApiPageView(TemplateView):
    """The page that shows the OpenAPI document's operations with parameters, body, answers and examples."""

    template_name = "arena/api.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer entirely in English, as the API does."""
        with translation.override("en"):
            response = cast(TemplateResponse, super().get(request, *args, **kwargs))
            return response.render()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        schema = openapi()
        return super().get_context_data(
            operations=operations(schema), objects=objects(schema), problems=problems(), **kwargs
        )
