"""How often somebody may ask: each server by itself, everybody else by their address."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from foa.account.throttle import limits
from foa.proxies import origin


class EachClient(SimpleRateThrottle):
    """Requests in the last minute, as each process counts them by itself."""

    cache = limits
    cache_format = "api-requests:%s"

    def get_rate(self) -> None:
        """Not a fixed one: it depends on who asks."""

    def get_cache_key(self, request: Request, view: Any) -> str:
        """Of the server, or of the address."""
        self.duration = 60
        if request.auth is not None:
            self.num_requests = settings.API_REQUESTS_OF_SERVER
            return self.cache_format % f"server:{request.auth.application_id}"
        self.num_requests = settings.API_REQUESTS_OF_VISITOR
        return self.cache_format % f"address:{origin(request)}"

    def allow_request(self, request: Request, view: Any) -> bool:
        """Whether one more is allowed; what was allowed before is counted."""
        self.rate = "by client"
        return super().allow_request(request, view)
