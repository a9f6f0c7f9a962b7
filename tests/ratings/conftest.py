"""Fixtures of the tests that need a database of their own."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from django.db import connections

from tests.commands import manage


@pytest.fixture(scope="session")
def migrated(django_db_setup, tmp_path_factory):
    """An SQLite file with the tables of the office and nothing in them but the time controls."""
    if django_db_setup is not None:
        return django_db_setup
    path = tmp_path_factory.mktemp("office") / "migrated.sqlite3"
    done = manage(path, "migrate", "--verbosity=0")
    assert done.code == 0, done.err
    return path


@pytest.fixture
def office(migrated, tmp_path):
    """A fresh SQLite file for the commands of another process."""
    return shutil.copy(migrated, tmp_path / "office.sqlite3")


@pytest.fixture
def shared_database(transactional_db, tmp_path):
    """A database that several threads can use: on SQLite a file, since memory knows no waiting writers."""
    main = connections["default"]
    if main.vendor != "sqlite":
        yield main
        return
    main.ensure_connection()
    path = tmp_path / "shared.sqlite3"
    with closing(sqlite3.connect(path)) as file:
        main.connection.backup(file)
    name = main.settings_dict["NAME"]
    main.settings_dict["NAME"] = str(path)
    del connections["default"]
    try:
        yield connections["default"]
        connections["default"].close()
    finally:
        main.settings_dict["NAME"] = name
        connections["default"] = main
