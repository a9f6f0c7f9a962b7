"""Fixtures of the tests that need a database of their own, and of the pages of staff."""

import pytest

from tests.fide.conftest import clerk, officer
from tests.rbb.conftest import migrated, office, shared_database

__all__ = ["clerk", "migrated", "office", "officer", "shared_database"]


@pytest.fixture(autouse=True)
def uploads(settings, tmp_path):
    """Reports wait in a directory of the test."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
