"""What the tests of the whole house need to know of the arena’s API."""

from typing import Final

from django.utils import timezone

from ratings.arena.models import Attempt, Delivery, GameServer, PresenceEvent, SentEnd, Webhook
from ratings.arena.services.registering import register_server
from ratings.arena.services.webhooks import begin, send_test
from ratings.office.models import OutboxEntry
from ratings.rbb.models import Game
from tests.arena import at

OFFICERS: Final = {
    **{model: frozenset({"view"}) for model in (GameServer, PresenceEvent, SentEnd)},
    Webhook: frozenset({"view", "change"}),
    Delivery: frozenset({"view", "send"}),
}

PAGES: Final = {
    "everybody": """
        arena:api arena:token arena:revoke oauth/token oauth/revoke arena:schema arena:live_ratings
        arena:published_lists arena:published_list arena:published_list_members arena:member_history
        arena:member arena:all_games arena:any_game arena:explanation arena:members arena:lookup ^api/v1/
        arena:compare arena:against arena:first_rating arena:follow_page arena:events arena:event
        arena:published_top arena:requested_list_members arena:compare_lists arena:explanations
        arena:member_ratings arena:member_statistics arena:member_chart arena:member_over_the_board
        arena:calendar arena:decisions arena:decision_moved arena:try_it
    """,
    "servers": """
        arena:games arena:game arena:clocks arena:presence arena:changes arena:webhooks arena:webhook
        arena:rotate_webhook arena:test_webhook arena:follow_changes
    """,
}

COMMANDS: Final = {"add_server": (), "simulate_arena": ()}


def furnish() -> None:
    """A server, somebody who was gone during the latest game, and a webhook that was tried once."""
    now = timezone.now()
    server, _credentials = register_server(f"arena-{GameServer.objects.count()}")
    played = Game.objects.latest("pk")
    PresenceEvent.objects.create(
        game=played, sequence=1, player="white", what="gone", at=at(6), received_at=at(6)
    )
    SentEnd.objects.create(game=played, rated=True, termination="normal")
    webhook = Webhook(
        server=server, url="https://arena.example/hook", events=[OutboxEntry.Event.RATING_CHANGED]
    )
    begin(webhook, at=now)
    Attempt.objects.create(delivery=send_test(webhook, at=now), at=now, status=500, milliseconds=12)
