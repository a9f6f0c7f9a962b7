"""State of the worker, the newest backup, disks and the database version, for probes, metrics and checks."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.cache import caches
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

_ALIVE: Final = "worker"
_SILENCE: Final = timedelta(minutes=1)
"""Silence after which an office counts as having no worker."""
_GONE: Final = 30
"""Seconds of silence after which a worker counts as gone, and another takes over its job."""

_logger: Final = logging.getLogger(__name__)


def give_sign_of_life(worker: str) -> None:
    """Note that the worker with this id is alive."""
    now, progress = timezone.now(), caches["progress"]
    try:
        # The time of the last sign of any worker never expires: monitors ask how long all have been silent.
        progress.set(_ALIVE, now, timeout=None)
        progress.set(f"{_ALIVE}{worker}", now, timeout=_GONE)
    except OSError as fault:
        # Where writing to an open file fails, Python doesn't say to which.
        fault.filename = fault.filename or settings.CACHES["progress"]["LOCATION"]
        raise


def last_sign_of_life() -> datetime | None:
    """Return when a worker last gave a sign of life, or None if none ever did."""
    last: datetime | None = caches["progress"].get(_ALIVE)
    return last


def is_worker_alive(worker: str = "") -> bool:
    """Return True if any worker gave a sign of life within a minute, or the worker with this id within 30 s.

    Also True if the cache can't be reached, because then nobody can tell.
    """
    try:
        last = caches["progress"].get(f"{_ALIVE}{worker}")
    except Exception:
        _logger.exception("whether there is a worker can’t be read")
        return True
    return last is not None and timezone.now() - last <= _SILENCE


def newest_backup() -> datetime | None:
    """Return when the newest complete backup under BACKUP_DIR was made, or None without one.

    A backup is a directory there. Its ``manifest.json``, which is written last, has the time (``made``).
    """
    manifests = Path(settings.BACKUP_DIR).glob("*/manifest.json")
    made = (json.loads(manifest.read_text())["made"] for manifest in manifests)
    return max(map(datetime.fromisoformat, made), default=None)


_MOUNTS: Final = Path("/proc/self/mountinfo")


def directories() -> dict[str, Path]:
    """Return the data directories by a name that shows no path. They may not exist yet."""
    found = {"uploads": Path(settings.UPLOAD_DIR), "backups": Path(settings.BACKUP_DIR)}
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        found["database"] = Path(database["NAME"]).parent
    return found


def disks() -> Iterator[tuple[str, shutil._ntuple_diskusage]]:
    """Yield the disk usage for each of these directories, by name."""
    for name, directory in directories().items():
        existing = next(one for one in (directory, *directory.absolute().parents) if one.exists())
        yield name, shutil.disk_usage(existing)


def kind_of_disk(directory: Path) -> str:
    """Return the file system of a directory as Linux names it, such as ``ext4``; empty if unknown."""
    if not _MOUNTS.exists():
        return ""
    kinds = {}
    for line in _MOUNTS.read_text().splitlines():
        mounted, _, kind = line.partition(" - ")
        # The last mount on a directory hides earlier ones. A space in its name is \\040.
        kinds[Path(mounted.split()[4].replace("\\040", " "))] = kind.split()[0]
    return next((kinds[one] for one in (directory, *directory.parents) if one in kinds), "")


OLDEST: Final = "0.15.0"
"""Oldest version whose databases can be upgraded. The first migration of each app covers all until then."""

Name = tuple[str, str]
"""App and name of a migration."""

_OURS: Final = {
    "foa", "members", "ratings", "office", "fide", "otb", "league", "arena", "desk", "notices",
}  # fmt: skip


def unapplied_migrations(using: str = DEFAULT_DB_ALIAS) -> int:
    """Return how many migrations of this version the database lacks."""
    return len(_all() - applied_migrations(using))


def applied_migrations(using: str = DEFAULT_DB_ALIAS) -> set[Name]:
    """Return the names of the migrations that a database has."""
    return set(MigrationRecorder(connections[using]).applied_migrations())


def replaced_migrations() -> list[list[Name]]:
    """Return the migrations that the first migration of each app replaces."""
    return [
        list(one.replaces) for (app, _), one in MigrationLoader(None).replacements.items() if app in _OURS
    ]


def is_too_old(applied: Collection[Name]) -> bool:
    """Return whether a database with these migrations is of a version before OLDEST."""
    return any(0 < sum(name in applied for name in one) < len(one) for one in replaced_migrations())


@cache
def _all() -> set[Name]:
    return set(MigrationLoader(None).graph.nodes)
