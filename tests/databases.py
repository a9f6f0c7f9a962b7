"""Another database in place of the default one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import environ
from django.contrib.contenttypes.models import ContentType
from django.db import connection, connections

_SQLITE = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}


@contextmanager
def opened(url: str) -> Iterator[None]:
    """Within, the default connection leads to this database, whatever the settings say."""
    settings_of = connections.settings
    own, own_connection = settings_of["default"], connections["default"]
    there = environ.Env.db_url_config(url)
    options = _SQLITE if there["ENGINE"].endswith("sqlite3") else {}
    settings_of["default"] = {**own, "USER": "", "HOST": "", "OPTIONS": {}, **there}
    settings_of["default"]["OPTIONS"] = {**settings_of["default"]["OPTIONS"], **options}
    del connections["default"]
    ContentType.objects.clear_cache()
    try:
        yield
        connections["default"].close()
    finally:
        settings_of["default"] = own
        connections["default"] = own_connection
        ContentType.objects.clear_cache()


@contextmanager
def entered(url: str, blocker: Any) -> Iterator[None]:
    """Within, this process is one more of those over this database; ``blocker``: pytest-django's."""
    with blocker.unblock(), opened(url):
        yield


def next_keys() -> list[tuple[str, int | None]]:
    """Each sequence of PostgreSQL with its last value; SQLite has none."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT quote_ident(sequencename), last_value FROM pg_sequences WHERE schemaname = 'public'"
        )
        return cursor.fetchall()


def set_next_keys(keys: list[tuple[str, int | None]]) -> None:
    """Let new rows get the keys that they would have got then, although others were rolled back since."""
    with connection.cursor() as cursor:
        for sequence, last in keys:
            cursor.execute("SELECT setval(%s::regclass, %s, %s)", [sequence, last or 1, last is not None])
