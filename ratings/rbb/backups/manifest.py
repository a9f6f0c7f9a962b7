"""The manifest of a backup, and the check of its files against it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.apps import apps
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from ratings.office.publications import Publication

NAME: Final = "manifest.json"
_ANOTHER: Final = "Take another backup."


FAULTS: Final = (OSError, DatabaseError, sqlite3.Error)
"""Errors of a disk or database, such as a full disk, while a backup is made or restored."""


class BackupError(Exception):
    """The reason why a backup can't be made or restored, and what to do."""


def reason(error: Exception) -> str:
    """Return the text of one of the FAULTS, for people."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error).strip()


class Manifest(NamedTuple):
    """The contents of a backup.

    ``version``: the office's version. ``made``: ISO 8601; everything committed before it is in the backup.
    ``engine``: Django's name for it. ``migrations``: those applied, as "app.name". ``rows``: number of rows
    in each table. ``lists``: the checksum of each published list, by model and key. ``files``: the SHA-256 of
    each file, by its path.
    """

    version: str
    made: str
    engine: str
    migrations: list[str]
    rows: dict[str, int]
    lists: dict[str, str]
    files: dict[str, str]

    def text(self) -> str:
        """Return the file's text, which ends with a checksum of the rest."""
        content: dict[str, Any] = self._asdict()
        digest = hashlib.sha256(_json(content).encode()).hexdigest()
        return _json({**content, "checksum": digest})


class Figures(NamedTuple):
    """The countable facts about a database, with the same fields as the manifest."""

    migrations: list[str]
    rows: dict[str, int]
    lists: dict[str, str]


def figures() -> Figures:
    """Return the figures of the default connection's database, whichever version of the office wrote it."""
    rows: dict[str, int] = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608
            [rows[table]] = cursor.fetchone()
    applied = MigrationRecorder(connection).applied_migrations()
    return Figures(sorted(".".join(key) for key in applied), rows, dict(_lists(rows)))


def _lists(tables: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the checksums of all rule books' lists; an older database may lack some tables."""
    for model in apps.get_models():
        if issubclass(model, Publication) and model._meta.db_table in tables:
            for key, checksum in model._base_manager.order_by("pk").values_list("pk", "checksum"):
                yield f"{model._meta.label_lower} {key}", checksum


def sha256(file: Path) -> str:
    """Return the digest of a file's content."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read(directory: Path) -> Manifest:
    """Read a backup's manifest; raises BackupError if this isn't a backup or a file has changed."""
    file = directory / NAME
    try:
        text = file.read_text()
        content = json.loads(text)
        content.pop("checksum")
        manifest = Manifest(**content)
        kinds = (str, str, str, list, dict, dict, dict)
        whole = manifest.text() == text and all(map(isinstance, manifest, kinds))
    except (FileNotFoundError, NotADirectoryError):
        raise BackupError(f"{directory} isn’t a backup: it has no {NAME}.") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        whole = False
    if not whole:
        raise BackupError(f"{file} is damaged. {_ANOTHER}")
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if not path.is_dir() and name not in manifest.files and name != NAME:
            raise BackupError(f"{path} isn’t part of the backup: {NAME} doesn’t list it. Move it elsewhere.")
    for name, written in manifest.files.items():
        path = directory / name
        if not path.is_file():
            raise BackupError(f"{path} is missing. {_ANOTHER}")
        if sha256(path) != written:
            raise BackupError(f"{path} is damaged: its SHA-256 doesn’t match the manifest. {_ANOTHER}")
    return manifest


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1) + "\n"
