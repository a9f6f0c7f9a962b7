"""Whether the database is that of this version."""

from __future__ import annotations

from functools import cache

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def unapplied_migrations(using: str = DEFAULT_DB_ALIAS) -> int:
    """How many migrations of this version the database lacks."""
    return len(_all() - MigrationRecorder(connections[using]).applied_migrations().keys())


@cache
def _all() -> set[tuple[str, str]]:
    """Those of this version, by app and name."""
    return set(MigrationLoader(None).graph.nodes)
