"""Request ids, shown in log lines, error pages, problems and jobs, and the count of requests."""

from __future__ import annotations

import re
from collections.abc import Callable
from time import perf_counter
from typing import Final
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

from foa.monitoring.logs import REQUEST_ID, request_id
from foa.monitoring.metrics import IN_PROGRESS, REQUESTS

_HEADER: Final = "X-Request-ID"
_SAFE: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")


def name_and_count(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Give each request an id, and count it when it is answered.

    An id set by a trusted proxy is kept if it has 8 to 64 letters, digits, points, underscores and dashes
    and nothing else, since it appears in logs and pages.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        began = perf_counter()
        came = request.headers.get(_HEADER, "")
        request.META[REQUEST_ID] = came if _SAFE.fullmatch(came) else uuid4().hex
        named = request_id.set(request.META[REQUEST_ID])
        try:
            with IN_PROGRESS.track_inprogress():
                response = get_response(request)
            response.headers[_HEADER] = request.META[REQUEST_ID]
        finally:
            request_id.reset(named)
        match = request.resolver_match
        view = match.view_name if match else ""
        REQUESTS.labels(view, request.method, response.status_code).observe(perf_counter() - began)
        return response

    return middleware
