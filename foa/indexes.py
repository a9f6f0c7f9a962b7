"""Indexes that a migration adds to a table in use."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations


class AddIndex(AddIndexConcurrently):
    """Index added without a lock on PostgreSQL. SQLite can't do that, and has one writer at a time."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Concurrently where that is known."""
        known = schema_editor.connection.vendor == "postgresql"
        add: Any = super() if known else migrations.AddIndex(self.model_name, self.index)
        add.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Concurrently where that is known."""
        known = schema_editor.connection.vendor == "postgresql"
        remove: Any = super() if known else migrations.AddIndex(self.model_name, self.index)
        remove.database_backwards(app_label, schema_editor, from_state, to_state)
