"""An index for the games of an event."""

from django.db import migrations, models

from foa.indexes import AddIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("ratings", "0053_arena_events")]

    operations = [
        AddIndex(
            "game",
            models.Index(
                fields=["event", "ended_at", "id"],
                condition=models.Q(event__isnull=False),
                name="game_of_event",
            ),
        )
    ]
