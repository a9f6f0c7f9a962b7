"""An SQLite file for other processes, as those of ratings have it."""

from tests.rbb.conftest import migrated, office

__all__ = ["migrated", "office"]
