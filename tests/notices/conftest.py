"""Fixtures of the tests of news."""

from tests.rbb.conftest import migrated, office, within

__all__ = ["migrated", "office", "within"]
