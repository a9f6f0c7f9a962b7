"""Registering a game server."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from ratings.arena.models import GameServer
from ratings.office import clients
from ratings.office.clients import Credentials


@transaction.atomic
def register_server(
    name: str, *, trusted: bool = False, scopes: Sequence[str] | None = None
) -> tuple[GameServer, Credentials]:
    """Return a new server and its login; raises ValidationError if the name is taken or invalid."""
    application, credentials = clients.new_client(name=name)
    server = GameServer(name=name, trusted=trusted, application=application)
    if scopes is not None:
        server.scopes = list(scopes)
    server.full_clean(exclude=["application"])
    application.save()
    server.application = application
    server.save()
    return server, credentials


def new_secret(server: GameServer) -> Credentials:
    """Create another secret. The old one and all tokens end at once."""
    return clients.new_secret(server.application)


def revoke_tokens(server: GameServer) -> int:
    """Revoke all tokens of a server and return their number."""
    return clients.revoke_tokens(server.application)
