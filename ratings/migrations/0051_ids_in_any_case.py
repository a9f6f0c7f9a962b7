"""An index for ids of games that differ in capital letters alone."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models.functions import Lower


class AddIndex(AddIndexConcurrently):
    """An index added without a lock on PostgreSQL; SQLite can't do that, and has one writer at a time."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Concurrently where that is known."""
        known = schema_editor.connection.vendor == "postgresql"
        add = super() if known else migrations.AddIndex(self.model_name, self.index)
        add.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Concurrently where that is known."""
        known = schema_editor.connection.vendor == "postgresql"
        remove = super() if known else migrations.AddIndex(self.model_name, self.index)
        remove.database_backwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("ratings", "0050_controls_as_written")]

    operations = [AddIndex("game", models.Index(Lower("external_id"), name="game_by_id_in_any_case"))]
