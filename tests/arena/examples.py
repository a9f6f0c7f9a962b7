"""What the examples of the API's documentation are about."""

from datetime import UTC, datetime
from typing import Final

from django.core.management.color import no_style
from django.db import connection

from ratings.arena.models import GameServer, Webhook
from ratings.arena.services.registering import register_server
from ratings.arena.services.webhooks import begin
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game, RunningClocks
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening

APRIL: Final = datetime(2026, 4, 1, tzinfo=UTC)
GAME: Final = 4711
BEGAN: Final = datetime(2026, 3, 1, 10, tzinfo=UTC)


def furnish_examples():
    """Anna beats Bert in March in the office's game 4711; the blitz list of April is published.

    The two also play what the server “arena” calls 4711, which goes on. Its webhook is 4711, too.
    """
    anna = member("anna", name="Berg, Anna", fide_id=1500001, federation="NOR", title="WFM")
    bert = member("bert", name="Vik, Bert")
    opening(anna, 1600)
    opening(bert, 1500)
    played = game(anna, bert, pk=GAME, external_id="elsewhere/1")
    continue_counting(Game)
    playing = game(anna, bert, "", started_at=BEGAN, ended_at=None, external_id=f"arena/{GAME}")
    RunningClocks.objects.create(game=playing, white=180_000, black=180_000, at=BEGAN)
    publish(category=Category.BLITZ, month=APRIL, at=APRIL)
    server = GameServer.objects.filter(name="arena").first() or register_server("arena")[0]
    begin(
        Webhook(pk=GAME, server=server, url="https://arena.example/hook", events=["rating.changed"]), at=APRIL
    )
    continue_counting(Webhook)
    return played


def continue_counting(model):
    """Let the next row's key follow the one chosen here: PostgreSQL counts on by itself."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
