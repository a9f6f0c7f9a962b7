"""The differences between SQLite and PostgreSQL: how to copy a database, and how to replace one."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, cast

from django.db import DatabaseError, ProgrammingError, connection, transaction
from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo

from ratings.rbb.backups.manifest import BackupError

_IN_USE: Final = "{} is in use. Stop the site and the worker, then restore again."


@contextmanager
def pointed_at(name: str) -> Iterator[None]:
    """Point the default connection at another database within this context, as tests do.

    A different alias wouldn't work: code that doesn't pass the alias on would use the office's own database.
    """
    own = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = own


def sync(directory: Path) -> None:
    """Flush a directory's entries to disk."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class SQLite:
    """A database file, copied with SQLite's own backup. ``file``: the name of its copy in a backup."""

    file = "database.sqlite3"

    @contextmanager
    def copying(self, to: Path) -> Iterator[None]:
        """Copy all pages in one step: a snapshot, even while others write.

        Within this context, the default connection reads exactly what is copied.
        """
        connection.ensure_connection()
        with closing(sqlite3.connect(to)) as copy:
            connection.connection.backup(copy)
            found = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise BackupError(f"The database is damaged: {found}. No backup was made; keep the earlier ones.")
        with pointed_at(str(to)):
            yield
        # Django leaves the file in WAL mode; a copy that isn't written to should be a single file.
        with closing(sqlite3.connect(to)) as copy:
            copy.execute("PRAGMA journal_mode=DELETE")

    def name(self) -> str:
        """Return the name by which operators know the database."""
        return self._own.name

    def refuse_if_in_use(self) -> None:
        """Raise BackupError if the file is in use: SQLite drops its log only for the sole user of a file."""
        connection.close()
        with closing(sqlite3.connect(self._own, timeout=0)) as own:
            try:
                own.execute("PRAGMA journal_mode=DELETE")
            except sqlite3.OperationalError:
                raise BackupError(_IN_USE.format(self.name())) from None

    def scratch(self, copy: Path) -> str:
        """Create a separate database from this copy; return the NAME by which Django opens it."""
        scratch = self._scratch
        self.drop_scratch()
        shutil.copyfile(copy, scratch)
        return str(scratch)

    def drop_scratch(self) -> None:
        for ending in ("", "-wal", "-shm", "-journal"):
            Path(f"{self._scratch}{ending}").unlink(missing_ok=True)

    def put_in_place(self, kept: str) -> None:
        """Put the scratch database in place of the office's own, which is renamed to ``kept``.

        The old file gets a second name and is then replaced in one step, so that the file always exists. The
        old file's log, which would damage the new one, is removed first.
        """
        self.refuse_if_in_use()
        with self._scratch.open("rb") as scratch:
            os.fsync(scratch.fileno())
        own = self._own
        own.with_name(kept).hardlink_to(own)
        self._scratch.replace(own)
        sync(own.parent)

    def drop(self, kept: str) -> None:
        """Remove a renamed database."""
        self._own.with_name(kept).unlink()

    @property
    def _own(self) -> Path:
        return Path(connection.settings_dict["NAME"])

    @property
    def _scratch(self) -> Path:
        return Path(f"{self._own}-restoring")


class PostgreSQL:
    """A database on a server, copied with pg_dump. Its methods do the same as those of SQLite."""

    file = "database.dump"

    @contextmanager
    def copying(self, to: Path) -> Iterator[None]:
        """Give pg_dump the snapshot that the default connection reads."""
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                cursor.execute("SELECT pg_export_snapshot()")
                [snapshot] = cursor.fetchone()
            yield
            self._run("pg_dump", "--format=custom", f"--snapshot={snapshot}", f"--file={to}")

    def name(self) -> str:
        return str(connection.settings_dict["NAME"])

    def refuse_if_in_use(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT COUNT(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                # Autovacuum has none, and gives way.
                " AND usesysid IS NOT NULL"
            )
            if cursor.fetchone() != (0,):
                raise BackupError(_IN_USE.format(self.name()))

    def scratch(self, copy: Path) -> str:
        """Restore into a new database with the office's own encoding and sort order."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_encoding_to_char(encoding), datcollate, datctype"
                " FROM pg_database WHERE datname = current_database()"
            )
            like = cursor.fetchone()
        scratch = self._scratch
        self.drop_scratch()
        with self._outside() as cursor:
            try:
                cursor.execute(
                    f"CREATE DATABASE {_quoted(scratch)} TEMPLATE template0"
                    " ENCODING %s LC_COLLATE %s LC_CTYPE %s",
                    like,
                )
            except ProgrammingError as error:
                user = connection.settings_dict["USER"]
                raise BackupError(
                    f"{str(error).strip()}: a backup is restored into a new database. As a superuser, run: "
                    f"ALTER ROLE {_quoted(user)} CREATEDB"
                ) from error
        # Roles and rights belong to the server, and another server may not have them.
        options = ("--exit-on-error", "--no-owner", "--no-privileges")
        self._run("pg_restore", *options, str(copy), database=scratch)
        with pointed_at(scratch), connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        return scratch

    def drop_scratch(self) -> None:
        self.drop(self._scratch)

    def put_in_place(self, kept: str) -> None:
        """Rename both databases in one transaction."""
        own = _quoted(self.name())
        try:
            with self._outside() as cursor:
                cursor.execute("BEGIN")
                cursor.execute(f"ALTER DATABASE {own} RENAME TO {_quoted(kept)}")
                cursor.execute(f"ALTER DATABASE {_quoted(self._scratch)} RENAME TO {own}")
                cursor.execute("COMMIT")
        except DatabaseError as error:
            raise BackupError(f"Nothing was put in place: {str(error).strip()}") from error

    def drop(self, kept: str) -> None:
        with self._outside() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {_quoted(kept)}")

    @property
    def _scratch(self) -> str:
        return f"{self.name()}-restoring"

    @contextmanager
    def _outside(self) -> Iterator[Any]:
        """Return a cursor in the server's own database, without any connection of ours to the office's."""
        connection.close()
        with connection._nodb_cursor() as cursor:
            yield cursor

    def _run(self, program: str, *arguments: str, database: str = "") -> None:
        """Run a PostgreSQL program on a database; raises BackupError with its error output."""
        connection.ensure_connection()
        path = _found(program, cast(Any, connection).pg_version // 10_000)
        settings = {**connection.get_connection_params(), **({"dbname": database} if database else {})}
        # Those of Django's connection settings that PostgreSQL's programs also know.
        known = {option.keyword.decode() for option in Conninfo.get_defaults()}
        told = {name: value for name, value in settings.items() if name in known - {"password"}}
        done = subprocess.run(  # noqa: S603  a program of the operator's own
            [path, "--no-password", f"--dbname={make_conninfo(**told)}", *arguments],
            env={**os.environ, **({"PGPASSWORD": settings["password"]} if "password" in settings else {})},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BackupError(f"{program} failed: {done.stderr.strip()}")


def _found(program: str, server: int) -> str:
    """Return the path of a program that supports this PostgreSQL version; raises BackupError."""
    path = shutil.which(program)
    if path is None:
        raise BackupError(f"{program} isn’t on the PATH. Install the programs of PostgreSQL {server}.")
    said = subprocess.run(  # noqa: S603  a program of the operator's own
        [path, "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    found = re.search(r"\d+", said)
    if found is None or int(found[0]) < server:
        raise BackupError(f"{path} is too old for PostgreSQL {server}: {said}.")
    return path


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


Engine = SQLite | PostgreSQL


def engine() -> Engine:
    """Return the engine of the office's database."""
    return PostgreSQL() if connection.vendor == "postgresql" else SQLite()
