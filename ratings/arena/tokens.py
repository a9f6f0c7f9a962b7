"""Lookup of a request's token."""

from __future__ import annotations

from hashlib import sha256

from oauth2_provider.models import AbstractAccessToken, get_access_token_model
from oauth2_provider.oauth2_validators import OAuth2Validator


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
