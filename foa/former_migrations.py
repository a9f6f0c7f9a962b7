"""Migrations that a released version had under another name, so that its databases can be upgraded.

``replaces`` doesn't help with a renamed migration: Django counts one that replaces others as applied only
where the others are, so every database that has it under its present name would run it again.
"""

from __future__ import annotations

from typing import Final

from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

FORMER_NAMES: Final = {
    # Renamed within 0.5.0.
    ("ratings", "0016_terminations"): "0015_terminations",
    ("ratings", "0020_lists_add_up"): "0016_lists_add_up",
    ("ratings", "0021_rights_of_late_lines"): "0017_rights_of_late_lines",
    # Renamed within 0.6.0.
    ("otb", "0010_fees_administrators_and_periods"): "0004_fees_administrators_and_periods",
    ("otb", "0011_players_of_reports"): "0005_players_of_reports",
    ("otb", "0012_rights_of_fees"): "0006_rights_of_fees",
}
"""The present name of each, by app and former name."""


def rename_applied(using: str) -> None:
    """Give the applied migrations of a database their present names."""
    recorder = MigrationRecorder(connections[using])
    if recorder.has_table():
        for (app, former), name in FORMER_NAMES.items():
            recorder.migration_qs.filter(app=app, name=former).update(name=name)
