"""Problem details for API errors that occur outside the API's views."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from ratings.arena.api.problems import problem_outside_views


def answer_as_api(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Turn HTML error pages into problem details for API addresses, and add the rate-limit headers.

    The text of the pages is meant for people with a browser, so it isn't repeated. A fault of the office is
    in its log, not in the answer. A chunked body is refused at once: Django would treat it as empty.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith("/api/v1/"):
            return get_response(request)
        if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
            return _problem(HTTPStatus.LENGTH_REQUIRED)
        response = get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if response.status_code >= HTTPStatus.BAD_REQUEST and is_page:
            problem = _problem(HTTPStatus(response.status_code))
            if wait := response.headers.get("Retry-After"):
                problem["Retry-After"] = wait
            response = problem
        for name, value in getattr(request, "rate_limit", {}).items():
            response[name] = value
        return response

    return middleware


def _problem(status: HTTPStatus) -> JsonResponse:
    told = {
        HTTPStatus.BAD_REQUEST: _("The request can’t be read. Its address may contain a NUL byte."),
        HTTPStatus.LENGTH_REQUIRED: _("Send Content-Length with the length of the body."),
        HTTPStatus.INTERNAL_SERVER_ERROR: _("Something went wrong on our side."),
        HTTPStatus.SERVICE_UNAVAILABLE: _(
            "The database isn’t available. Send the same request again after the number of seconds "
            "in Retry-After."
        ),
    }.get(status, status.phrase)
    return problem_outside_views(status, status.phrase.lower().replace(" ", "-"), told)
