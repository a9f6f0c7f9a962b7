"""How often somebody may ask: each server by itself, everybody else by their address."""

from __future__ import annotations

from math import ceil
from time import time
from typing import Any, Final, NamedTuple

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from foa.limits import count
from foa.proxies import origin

_MINUTE: Final = 60


class RateLimit(NamedTuple):
    """Requests in a minute, how many of them are left, and in how many seconds the next minute begins."""

    limit: int
    left: int
    seconds: int

    def headers(self) -> dict[str, str]:
        """Return the fields of draft-ietf-httpapi-ratelimit-headers-10."""
        return {
            "RateLimit-Policy": f'"minute";q={self.limit};w={_MINUTE}',
            "RateLimit": f'"minute";r={self.left};t={self.seconds}',
        }


class EachClient(BaseThrottle):
    """Requests in each minute of the clock."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Whether one more is allowed; it is counted."""
        if request.auth is not None:
            whose, limit = f"server:{request.auth.application_id}", settings.API_REQUESTS_OF_SERVER
        else:
            whose, limit = f"address:{origin(request)}", settings.API_REQUESTS_OF_VISITOR
        # Two minutes: the clocks of two machines differ a little.
        asked = count(f"api-requests:{whose}:{int(time()) // _MINUTE}", 2 * _MINUTE)
        request._request.rate_limit = RateLimit(limit, max(0, limit - asked), self.wait())
        return asked <= limit

    def wait(self) -> int:
        """Seconds to the next minute."""
        return ceil(_MINUTE - time() % _MINUTE)
