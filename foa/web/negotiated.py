"""Pages that are also JSON at the same address."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from django.core.exceptions import BadRequest
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import patch_vary_headers
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.generic import DetailView, View
from django.views.generic.base import TemplateResponseMixin

from foa.web.caching import cached_for_visitors
from foa.web.deprecation import Deprecation

M = TypeVar("M", bound=Model)


def wants_json(request: HttpRequest) -> bool:
    """Return whether a request asks for JSON: by its format, by the end of its address or by Accept."""
    asked = request.GET.get("format")
    if asked is not None or request.path.endswith(".json"):
        return asked == "json" or request.path.endswith(".json")
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def json_error(status: int, message: str, **more: Any) -> JsonResponse:
    """Return an error of a page as JSON."""
    return json_response({"error": {"status": status, "message": message, **more}}, status)


@method_decorator(cached_for_visitors, name="dispatch")
class Negotiated(TemplateResponseMixin, View):
    """View that answers HTML, or JSON for ``?format=json`` and ``Accept: application/json``, errors too.

    A subclass may have other ``formats``, which it answers in :meth:`in_format`. Without "json" among them,
    the API has the JSON.
    """

    formats: ClassVar[tuple[str, ...]] = ("json",)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the page in the requested format; 404 without its object, 400 for an unknown format."""
        asked = request.GET.get("format")
        preferred = request.get_preferred_type(["text/html", "application/json"])
        accepts_json = "json" in self.formats and preferred == "application/json"
        self.format = asked or ("json" if accepts_json else "")
        try:
            if asked is not None and asked not in self.formats:
                raise BadRequest(gettext("This page is not available in that format."))
            response: HttpResponse = super().get(request, *args, **kwargs)  # type: ignore[misc]  # Django's
        except (BadRequest, Http404) as error:
            if self.format != "json" and not accepts_json:
                raise
            response = json_error(404 if isinstance(error, Http404) else 400, str(error))
        patch_vary_headers(response, ("Accept",))
        if self.format == "json" and response.status_code != 404 and (deprecation := self.json_deprecated()):
            deprecation.tell(response)
        return response

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """Return HTML, JSON or another format."""
        if self.format == "json":
            return json_response(self.as_json(context))
        if self.format:
            return self.in_format(self.format)
        return super().render_to_response(context, **kwargs)

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the data of the page; decimals become strings and moments ISO 8601 in UTC."""
        raise NotImplementedError

    def json_deprecated(self) -> Deprecation | None:
        """Return when the JSON goes, and what the API has instead; None if it stays."""
        return None

    def in_format(self, name: str) -> HttpResponse:
        """Return a format other than HTML and JSON."""
        raise NotImplementedError


class NegotiatedView(Negotiated, DetailView[M]):
    """The same view for the page of one object."""


def json_response(data: dict[str, Any], status: int = 200) -> JsonResponse:
    """Return JSON with decimals as strings and moments in ISO 8601; non-ASCII letters aren't escaped."""
    return JsonResponse(data, status=status, json_dumps_params={"ensure_ascii": False})
