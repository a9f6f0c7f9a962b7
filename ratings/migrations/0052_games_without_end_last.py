"""Lists of games have those without an end last, by an index that PostgreSQL can read in that order."""

from importlib import import_module
from typing import Any

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations, models

from ratings.models.fields import EmptyFirstIndex

AddIndex = import_module("ratings.migrations.0046_openings_by_member").AddIndex


class RemoveIndex(RemoveIndexConcurrently):
    """An index removed without a lock on PostgreSQL; SQLite can't do that, and has one writer at a time."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Concurrently where that is known."""
        known = schema_editor.connection.vendor == "postgresql"
        remove = super() if known else migrations.RemoveIndex(self.model_name, self.name)
        remove.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Concurrently where that is known."""
        known = schema_editor.connection.vendor == "postgresql"
        add = super() if known else migrations.RemoveIndex(self.model_name, self.name)
        add.database_backwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("ratings", "0051_ids_in_any_case")]

    operations = [
        migrations.AlterModelOptions(
            "game",
            {
                "ordering": (models.F("ended_at").desc(nulls_last=True), "-pk"),
                "verbose_name": "game",
                "verbose_name_plural": "games",
            },
        ),
        AddIndex("game", EmptyFirstIndex(fields=["ended_at", "id"], name="game_by_end_empty_first")),
        RemoveIndex("game", "game_by_end"),
    ]
