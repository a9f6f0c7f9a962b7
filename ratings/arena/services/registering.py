"""Registering a game server, and its secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import get_access_token_model, get_application_model

from ratings.arena.models import GameServer


class Credentials(NamedTuple):
    """A server's login. The office keeps a hash of the secret, so it can be shown only once."""

    client_id: str
    secret: str


@transaction.atomic
def register_server(
    name: str, *, trusted: bool = False, scopes: Sequence[str] | None = None
) -> tuple[GameServer, Credentials]:
    """Return a new server and its login; raises ValidationError if the name is taken or invalid."""
    secret = generate_client_secret()
    application = get_application_model()(
        name=name,
        client_type="confidential",
        authorization_grant_type="client-credentials",
        client_secret=secret,
    )
    server = GameServer(name=name, trusted=trusted, application=application)
    if scopes is not None:
        server.scopes = list(scopes)
    server.full_clean(exclude=["application"])
    application.save()
    server.application = application
    server.save()
    return server, Credentials(application.client_id, secret)


@transaction.atomic
def new_secret(server: GameServer) -> Credentials:
    """Create another secret. The old one and all tokens end at once."""
    secret = generate_client_secret()
    server.application.client_secret = secret
    server.application.save()
    revoke_tokens(server)
    return Credentials(server.application.client_id, secret)


def revoke_tokens(server: GameServer) -> int:
    """End all tokens of a server and return their number."""
    deleted, _by_model = get_access_token_model().objects.filter(application=server.application).delete()
    return deleted
