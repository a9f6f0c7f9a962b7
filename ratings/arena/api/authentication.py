"""Authentication by a token in the Authorization header. The rest of the request isn't read for it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from oauth2_provider.contrib.rest_framework import OAuth2Authentication
from rest_framework.request import Request


class TokenInHeader(OAuth2Authentication):
    """A bearer token. The toolkit would also look for it in the body, and read the body to its end."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """Return no user and the token, or None without a valid token."""
        headers = HttpRequest()
        # A token may be restricted to some addresses (RFC 8707).
        headers.path = request.path
        headers.META = {
            name: value for name, value in request.META.items() if name.startswith(("HTTP_", "SERVER_"))
        }
        found: tuple[Any, Any] | None = super().authenticate(headers)
        request.oauth2_error = getattr(headers, "oauth2_error", {})
        return found
