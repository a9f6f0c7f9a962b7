"""What is refused before a view of the API is reached, or failed in it, is told as a problem too."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from ratings.arena.api.problems import MEDIA_TYPE, Problem, problem_json


def errors_as_problems(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer with problem details where the site has an error page, at all addresses of the API.

    The words of the pages are for people with a browser, so they are not repeated. A fault of the office
    is in its log, not in the answer.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        of_page = response.headers.get("Content-Type", "").startswith("text/html")
        if response.status_code < HTTPStatus.BAD_REQUEST or not of_page or not _of_api(request):
            return response
        status = HTTPStatus(response.status_code)
        told = {
            HTTPStatus.BAD_REQUEST: _("The request can't be read. Its address may have a NUL byte."),
            HTTPStatus.INTERNAL_SERVER_ERROR: _("Something went wrong in the office."),
        }.get(status, status.phrase)
        problem = Problem(status, status.phrase.lower().replace(" ", "-"), told)
        return JsonResponse(problem_json(problem), status=status, content_type=MEDIA_TYPE)

    return middleware


def _of_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/v1/")
