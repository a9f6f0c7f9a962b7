"""CORS: scripts of other sites may read what every visitor can read without a login."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final

from django.http import HttpRequest, HttpResponseBase
from rest_framework.permissions import SAFE_METHODS

_EXPOSED: Final = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": ", ".join(SAFE_METHODS),
    "Access-Control-Allow-Headers": "If-Modified-Since, If-None-Match",
    # One day: browsers ask again sooner.
    "Access-Control-Max-Age": "86400",
}

View = Callable[..., HttpResponseBase]


def readable_from_everywhere(view: View) -> View:
    """Let scripts of any site read the answers, including errors. Cookies and tokens aren't allowed."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if request.method in SAFE_METHODS:
            response.headers["Access-Control-Allow-Origin"] = "*"
            response.headers["Access-Control-Expose-Headers"] = _EXPOSED
        if request.method == "OPTIONS":
            for name, value in _PREFLIGHT.items():
                response.headers[name] = value
        return response

    return answer
