"""Fixtures of the tests of news."""

from tests.ratings.conftest import migrated, office, within

__all__ = ["migrated", "office", "within"]
