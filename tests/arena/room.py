"""What the tests of the whole house need to know of the arena's API."""

from typing import Final

from ratings.arena.models import GameServer, PresenceEvent, SentEnd
from ratings.arena.services.registering import register_server
from tests.arena import at, game, member

OFFICERS: Final = {model: frozenset({"view"}) for model in (GameServer, PresenceEvent, SentEnd)}

COMMANDS: Final = {"add_server": (), "simulate_arena": ()}


def furnish() -> None:
    """A server that may send games; one of its games, in which somebody was gone."""
    server = register_server(f"arena-{GameServer.objects.count()}")[0]
    played = game(member(), member(), external_id=server.external_id("1"))
    PresenceEvent.objects.create(
        game=played, sequence=1, player="white", what="gone", at=at(6), received_at=at(6)
    )
    SentEnd.objects.create(game=played, rated=True, termination="normal")
