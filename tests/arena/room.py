"""What the tests of the whole house need to know of the arena's API."""

from typing import Final

from ratings.arena.models import GameServer, PresenceEvent, SentEnd
from ratings.arena.services.registering import register_server
from ratings.models import Game
from tests.arena import at

OFFICERS: Final = {model: frozenset({"view"}) for model in (GameServer, PresenceEvent, SentEnd)}

COMMANDS: Final = {"add_server": (), "simulate_arena": ()}


def furnish() -> None:
    """A server that may send games; somebody who was gone during the latest game."""
    register_server(f"arena-{GameServer.objects.count()}")
    played = Game.objects.latest("pk")
    PresenceEvent.objects.create(
        game=played, sequence=1, player="white", what="gone", at=at(6), received_at=at(6)
    )
    SentEnd.objects.create(game=played, rated=True, termination="normal")
