"""Offices with a small arena, each in a database of its own: a file, or one of a server."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path

import psycopg

from ratings.otb.services.period_closing import close_period
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests import migrated
from tests.arena import game, rated
from tests.commands import MANAGE
from tests.databases import opened
from tests.league.office import NOW, ROUND_1, bring_round, close_all, small_season
from tests.otb.tournaments import everybody_listed, received, report, round_robin

_numbers = count(1)


def small_arena() -> None:
    """Three games, and a published list of each rule book."""
    anna, bob = rated(1600), rated(1700)
    for minute in (10, 20, 30):
        game(anna, bob, minute=minute)
    publish(category=Category.BLITZ, month=datetime(2026, 4, 1, tzinfo=UTC), at=NOW)
    season = small_season(cycles=[1])
    bring_round(season, *ROUND_1)
    close_all(season)
    received(report(everybody_listed(2000, 1900, 1950), round_robin("*1=", "0*1", "=0*")))
    close_period(until=date(2026, 5, 1), at=NOW)


@contextmanager
def shell(url: str, directory: Path, code: str) -> Iterator[subprocess.Popen[str]]:
    """A process of the office over this database, its uploads and backups in this directory; then killed."""
    more = {"BACKUP_DIR": str(directory / "backups"), "UPLOAD_DIR": str(directory / "uploads")}
    with subprocess.Popen(
        [sys.executable, MANAGE, "shell", "--verbosity", "0", "-c", code],
        env={**os.environ, "DATABASE_URL": url, **more},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def small_files() -> Iterator[None]:
    """Within, no file of this process grows beyond 64 KiB, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class Files:
    """Offices on SQLite."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.arena = directory / "arena.sqlite3"
        shutil.copy(migrated.sqlite(), self.arena)
        with opened(f"sqlite:///{self.arena}"):
            small_arena()

    def office(self) -> str:
        """The address of a copy of the arena."""
        copy = self.directory / f"office{next(_numbers)}" / "office.sqlite3"
        copy.parent.mkdir()
        shutil.copy(self.arena, copy)
        return f"sqlite:///{copy}"

    def empty(self) -> str:
        """The address of a database without tables."""
        name = f"empty{next(_numbers)}"
        (self.directory / name).mkdir()
        return f"sqlite:///{self.directory / name / name}.sqlite3"

    def databases(self, url: str) -> list[str]:
        """What lies beside a database, and itself."""
        return sorted(path.name for path in Path(url.removeprefix("sqlite:///")).parent.iterdir())


class Databases:
    """Offices on PostgreSQL. Whoever restores isn’t a superuser."""

    def __init__(self, server: object, template: str) -> None:
        self.server = server
        self.run(f"CREATE DATABASE arena TEMPLATE {template}")
        self.run("CREATE ROLE foa LOGIN CREATEDB")
        with opened(self._url("arena")):
            small_arena()

    def office(self) -> str:
        """The address of a copy of the arena."""
        name = f"office{next(_numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE arena")
        return self._url(name)

    def empty(self) -> str:
        """The address of a database without tables."""
        name = f"empty{next(_numbers)}"
        self.run(f"CREATE DATABASE {name} OWNER foa")
        return self._url(name, "foa")

    def databases(self, url: str) -> list[str]:
        """Those of the server, without those of other tests."""
        name = url.partition("@/")[2].partition("?")[0]
        return [one for one in self.run("SELECT datname FROM pg_database ORDER BY 1") if name in one]

    def _url(self, name: str, user: str = "postgres") -> str:
        return f"postgres://{user}@/{name}?host={self.server.directory}&CONN_MAX_AGE=0"

    def run(self, statement: str) -> list[str]:
        with psycopg.connect(host=str(self.server.directory), user="postgres", autocommit=True) as there:
            cursor = there.execute(statement)
            return [row[0] for row in cursor] if cursor.description else []
