"""Checks of whether the database matches this version, and whether this version can upgrade it."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

OLDEST: Final = "0.15.0"
"""Oldest version whose databases can be upgraded. The first migration of each app covers all until then."""

Name = tuple[str, str]
"""App and name of a migration."""

_OURS: Final = {
    "foa", "members", "ratings", "office", "fide", "otb", "league", "arena", "desk", "notices",
}  # fmt: skip


def unapplied_migrations(using: str = DEFAULT_DB_ALIAS) -> int:
    """Return how many migrations of this version the database lacks."""
    return len(_all() - applied_migrations(using))


def applied_migrations(using: str = DEFAULT_DB_ALIAS) -> set[Name]:
    """Return the names of the migrations that a database has."""
    return set(MigrationRecorder(connections[using]).applied_migrations())


def replaced_migrations() -> list[list[Name]]:
    """Return the migrations that the first migration of each app replaces."""
    return [
        list(one.replaces) for (app, _), one in MigrationLoader(None).replacements.items() if app in _OURS
    ]


def is_too_old(applied: Collection[Name]) -> bool:
    """Return whether a database with these migrations is of a version before OLDEST."""
    return any(0 < sum(name in applied for name in one) < len(one) for one in replaced_migrations())


@cache
def _all() -> set[Name]:
    return set(MigrationLoader(None).graph.nodes)
