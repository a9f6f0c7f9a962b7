"""Authentication of the API by the token in the header, and its rate limits."""

from __future__ import annotations

from hashlib import sha256
from math import ceil
from time import time
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _
from oauth2_provider.contrib.rest_framework import OAuth2Authentication
from oauth2_provider.models import AbstractAccessToken, get_access_token_model
from oauth2_provider.oauth2_validators import OAuth2Validator
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from foa.proxies import origin
from foa.rate_limits import count


class TokensOfServers(OAuth2Validator):
    """A validator that reads the server together with its token, since every request needs both."""

    def _load_access_token(self, token: str) -> AbstractAccessToken | None:
        """Return the token, whether valid or not; None if it was never issued."""
        tokens = get_access_token_model()
        try:
            found: AbstractAccessToken = tokens.objects.select_related("application__gameserver").get(
                token_checksum=sha256(token.encode()).hexdigest()
            )
        except tokens.DoesNotExist:
            return None
        return found


class TokenInHeader(OAuth2Authentication):
    """A bearer token. The toolkit would also look for it in the body, and read the body to its end."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """Return no user and the token, or None without one. Raises NotAuthenticated for one that isn't good.

        Also where everybody may read: a client whose token has expired would be limited as a visitor and not
        know why.
        """
        headers = HttpRequest()
        # A token may be restricted to some addresses (RFC 8707).
        headers.path = request.path
        headers.META = {
            name: value for name, value in request.META.items() if name.startswith(("HTTP_", "SERVER_"))
        }
        found: tuple[Any, Any] | None = super().authenticate(headers)
        request.oauth2_error = getattr(headers, "oauth2_error", {})
        if found is None and headers.META.get("HTTP_AUTHORIZATION", "").lower().startswith("bearer "):
            raise NotAuthenticated(_("This token is no longer valid. Get a new one at /oauth/token/."))
        return found


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
