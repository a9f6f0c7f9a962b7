"""Fixtures of the tests of news."""

from tests.ratings.conftest import migrated, office

__all__ = ["migrated", "office"]
