"""The disks on which the office stores something."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings

_MOUNTS: Final = Path("/proc/self/mountinfo")


def directories() -> dict[str, Path]:
    """Where the office stores something, by a name that tells nobody a path. They may not be there yet."""
    found = {"uploads": Path(settings.UPLOAD_DIR), "backups": Path(settings.BACKUP_DIR)}
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        found["database"] = Path(database["NAME"]).parent
    return found


def disks() -> Iterator[tuple[str, shutil._ntuple_diskusage]]:
    """How full the disk of each is."""
    for name, directory in directories().items():
        existing = next(one for one in (directory, *directory.absolute().parents) if one.exists())
        yield name, shutil.disk_usage(existing)


def kind_of_disk(directory: Path) -> str:
    """The file system of a directory, as Linux names it, such as ``ext4``; empty where it can't be told."""
    if not _MOUNTS.exists():
        return ""
    kinds = {}
    for line in _MOUNTS.read_text().splitlines():
        mounted, _, kind = line.partition(" - ")
        # The last one on a directory is the one that is seen. A space in its name is \\040.
        kinds[Path(mounted.split()[4].replace("\\040", " "))] = kind.split()[0]
    return next((kinds[one] for one in (directory, *directory.parents) if one in kinds), "")
