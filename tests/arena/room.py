"""What the tests of the whole house need to know of the arena's API."""

from typing import Final

from ratings.arena.models import GameServer
from ratings.arena.services.registering import register_server

OFFICERS: Final = {GameServer: frozenset({"view"})}

COMMANDS: Final = {"add_server": (), "simulate_arena": ()}


def furnish() -> None:
    """A server that may send games."""
    register_server(f"arena-{GameServer.objects.count()}")
