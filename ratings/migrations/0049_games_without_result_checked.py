"""The new check of a game's end holds for all games, and the stricter one goes."""

from typing import Any

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Validate(ValidateConstraint):
    """Validate a check on PostgreSQL; SQLite did that when the check was added."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Validate it where it was added unvalidated."""
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0048_games_without_result")]

    operations = [
        Validate("game", "game_ends_with_result"),
        migrations.RemoveConstraint("game", "game_result_with_end"),
    ]
