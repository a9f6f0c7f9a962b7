"""Indexes that a migration adds to a table in use."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations
from django.db.migrations import AddConstraint


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


class AddUnique(AddConstraint):
    """Add a unique constraint of expressions, which databases keep as an index, without locking the table.

    In a migration with ``atomic = False``.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Concurrently where that is known."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            made = str(self.constraint.create_sql(model, schema_editor))
            schema_editor.execute(made.replace("UNIQUE INDEX", "UNIQUE INDEX CONCURRENTLY", 1))
