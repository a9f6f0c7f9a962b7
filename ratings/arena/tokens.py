"""How the token of a request is found."""

from __future__ import annotations

from hashlib import sha256

from oauth2_provider.models import AbstractAccessToken, get_access_token_model
from oauth2_provider.oauth2_validators import OAuth2Validator


class TokensOfServers(OAuth2Validator):
    """The server is read together with its token, since every request asks for both."""

    def _load_access_token(self, token: str) -> AbstractAccessToken | None:
        """The token, whether it is still valid or not; None if nobody was given it."""
        tokens = get_access_token_model().objects.select_related("application__gameserver")
        found: AbstractAccessToken | None = tokens.filter(
            token_checksum=sha256(token.encode()).hexdigest()
        ).first()
        return found
