"""Disks that the office stores data on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings

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
