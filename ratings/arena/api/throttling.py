"""Rate limits: for each server separately, and for all other clients by address."""

from __future__ import annotations

from math import ceil
from time import time
from typing import Any, Final

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from foa.limits import count
from foa.proxies import origin

_MINUTE: Final = 60


class EachClient(BaseThrottle):
    """A limit on a client's requests in each clock minute."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count a request and return whether it is allowed; the middleware adds the headers to its answer."""
        if request.auth is not None:
            whose, limit = f"server:{request.auth.application_id}", settings.API_REQUESTS_OF_SERVER
        else:
            whose, limit = f"address:{origin(request)}", settings.API_REQUESTS_OF_VISITOR
        # Two minutes, because the clocks of two machines differ slightly.
        asked = count(f"api-requests:{whose}:{int(time()) // _MINUTE}", 2 * _MINUTE)
        # Headers of draft-ietf-httpapi-ratelimit-headers-10: the limit, requests left, and seconds until the
        # next minute.
        request._request.rate_limit = {
            "RateLimit-Policy": f'"minute";q={limit};w={_MINUTE}',
            "RateLimit": f'"minute";r={max(0, limit - asked)};t={self.wait()}',
        }
        return asked <= limit

    def wait(self) -> int:
        """Return the seconds until the next minute."""
        return ceil(_MINUTE - time() % _MINUTE)
