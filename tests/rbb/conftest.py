"""Fixtures of several tests: databases of their own, two players, and who imports files."""

import shutil
import sqlite3
from contextlib import closing
from functools import partial

import pytest
from django.contrib.auth.models import Group, User
from django.db import connections

from tests.arena import member, opening
from tests.databases import entered
from tests.migrated import sqlite


@pytest.fixture(scope="session")
def migrated():
    """An SQLite file with the tables of the office and nothing in them but what migrations enter."""
    return sqlite()


@pytest.fixture
def office(migrated, tmp_path):
    """A fresh SQLite file for the commands of another process."""
    return shutil.copy(migrated, tmp_path / "office.sqlite3")


@pytest.fixture
def within(office, settings, django_db_blocker):
    """A context in which this process is one more of those over that file."""
    settings.UPLOAD_DIR = f"{office}-uploads"
    return partial(entered, f"sqlite:///{office}", django_db_blocker)


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


@pytest.fixture
def arena(worker):
    """Anna and Bob, both rated."""
    players = member("anna"), member("bob")
    for who, points in zip(players, (1800, 1700), strict=True):
        opening(who, points)
    return players


@pytest.fixture
def officer(client):
    user = User.objects.create_user("officer", is_staff=True)
    user.groups.add(Group.objects.get(name="Rating officers"))
    client.force_login(user)
    return client
