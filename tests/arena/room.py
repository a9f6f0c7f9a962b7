"""What the tests of the whole house need to know of the arena's API."""

from typing import Final

from django.utils import timezone

from ratings.arena.models import Attempt, Delivery, GameServer, Webhook
from ratings.arena.services.registering import register_server
from ratings.arena.services.webhooks import begin, send_test
from ratings.office.models import OutboxEntry

OFFICERS: Final = {
    GameServer: frozenset({"view"}),
    Webhook: frozenset({"view", "change"}),
    Delivery: frozenset({"view", "send"}),
}

COMMANDS: Final = {"add_server": (), "simulate_arena": ()}


def furnish() -> None:
    """A server that may send games, its webhook, and a message that was tried once."""
    now = timezone.now()
    server, _credentials = register_server(f"arena-{GameServer.objects.count()}")
    webhook = Webhook(
        server=server, url="https://arena.example/hook", events=[OutboxEntry.Event.RATING_CHANGED]
    )
    begin(webhook, at=now)
    Attempt.objects.create(delivery=send_test(webhook, at=now), at=now, status=500, milliseconds=12)
