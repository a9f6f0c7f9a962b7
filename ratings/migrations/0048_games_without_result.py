"""An aborted game ends without a result: a check that allows it, beside the one that the next migration drops."""

from typing import Any

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class AddConstraint(AddConstraintNotValid):
    """Add a check without reading the table on PostgreSQL; SQLite has no such thing, and adds it as usual."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Add it unvalidated on PostgreSQL."""
        is_known = schema_editor.connection.vendor == "postgresql"
        add = super() if is_known else migrations.AddConstraint(self.model_name, self.constraint)
        add.database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0047_openings_of_one_moment")]

    operations = [
        AddConstraint(
            "game",
            models.CheckConstraint(
                condition=models.Q(ended_at=None, result="")
                | (models.Q(ended_at__isnull=False) & ~models.Q(result=""))
                | models.Q(
                    ended_at__isnull=False,
                    rated=False,
                    termination__in=["aborted", "bye", "forfeit", "no-show"],
                ),
                name="game_ends_with_result",
                violation_error_message="Enter both end time and result, or neither.",
            ),
        ),
    ]
