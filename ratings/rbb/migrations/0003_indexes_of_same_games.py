"""Indexes of the columns that tell which games are the same."""

from importlib import import_module

from django.db import migrations, models

from foa.indexes import AddIndex

OF_HISTORY = import_module("ratings.rbb.migrations.0002_same_games").OF_HISTORY


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ratings", "0002_same_games")]

    operations = [
        AddIndex("game", models.Index(fields=["address"], name="game_by_address")),
        AddIndex(
            "game",
            models.Index(
                condition=models.Q(possibly_same__isnull=False), fields=["possibly_same"], name="game_possibly_same"
            ),
        ),
        # The library gives each foreign key of a history an index.
        migrations.SeparateDatabaseAndState(
            database_operations=[
                AddIndex("historicalgame", models.Index(fields=["possibly_same"], name="game_history_same"))
            ],
            state_operations=[
                migrations.AlterField("historicalgame", "possibly_same", models.ForeignKey(**OF_HISTORY))
            ],
        ),
    ]
