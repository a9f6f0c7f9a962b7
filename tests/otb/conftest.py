"""Fixtures of the tests that need a database of their own, and of the pages of staff."""

from tests.fide.conftest import clerk, officer
from tests.ratings.conftest import migrated, office, shared_database

__all__ = ["clerk", "migrated", "office", "officer", "shared_database"]
