"""Taking a backup. It appears under its name only when it is complete."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection
from django.utils import timezone

from foa.version import version
from ratings.rbb.backups import manifest
from ratings.rbb.backups.engines import engine, sync
from ratings.rbb.backups.manifest import BackupError, Manifest, reason

UPLOADS: Final = "uploads"
_UNFINISHED: Final = ".unfinished"


def back_up(directory: Path, *, keep: int | None = None) -> tuple[Path, Manifest]:
    """Make a backup in a directory, then keep only the newest ``keep`` backups there.

    Raises BackupError, also if another backup is being made there.
    """
    os.umask(0o077)
    if directory.exists() and not directory.is_dir():
        raise BackupError(f"{directory} isn’t a directory.")
    directory.mkdir(parents=True, exist_ok=True)
    with alone(directory, f"Another backup is being made in {directory}."):
        unfinished = directory / _UNFINISHED
        # Left by a backup that was killed.
        shutil.rmtree(unfinished, ignore_errors=True)
        # One directory further down: a directory with a manifest at this level would count as a backup.
        whole = unfinished / "backup"
        whole.mkdir(parents=True)
        try:
            made = timezone.now().astimezone(UTC)
            path = directory / f"{made:%Y%m%dT%H%M%S.%fZ}"
            copied = _copy(whole, f"{made:%Y-%m-%dT%H:%M:%S.%fZ}")
            if path.exists():
                raise BackupError(f"{path} exists.")
            whole.rename(path)
        finally:
            shutil.rmtree(unfinished)
        sync(directory)
        for old in backups(directory)[keep:] if keep else ():
            try:
                # If this is killed, a directory without a manifest doesn't count as a backup.
                (old / manifest.NAME).unlink()
                shutil.rmtree(old)
            except OSError as error:
                raise BackupError(
                    f"{path} was made, but {old} couldn’t be deleted: {reason(error)}."
                ) from error
    return path, copied


def backups(directory: Path) -> list[Path]:
    """Return the backups in a directory, newest first."""
    found = (file.parent for file in directory.glob(f"[0-9]*T*Z/{manifest.NAME}"))
    return sorted(found, key=lambda path: path.name, reverse=True)


def _copy(to: Path, made: str) -> Manifest:
    """Copy database and uploads; the manifest comes last."""
    uploads = to / UPLOADS
    uploads.mkdir()
    _copy_uploads(uploads)
    own = engine()
    with own.copying(to / own.file):
        figures = manifest.figures()
    # Files added between the first copy and the snapshot. Files deleted meanwhile are in the first copy.
    _copy_uploads(uploads)
    files = sorted(path for path in to.rglob("*") if path.is_file())
    copied = Manifest(
        version=version(),
        made=made,
        engine=connection.vendor,
        files={path.relative_to(to).as_posix(): _settled(path) for path in files},
        **figures._asdict(),
    )
    (to / manifest.NAME).write_text(copied.text())
    _settled(to / manifest.NAME)
    sync(uploads)
    sync(to)
    return copied


def _settled(file: Path) -> str:
    """Flush a file to disk and return its SHA-256."""
    with file.open("rb") as stream:
        os.fsync(stream.fileno())
    return manifest.sha256(file)


def _copy_uploads(to: Path) -> None:
    """Copy uploads that are missing or were incomplete.

    The folder of FIDE lists is left out: they are large, never change and are available from FIDE.
    """
    source = Path(settings.UPLOAD_DIR)
    for file in source.iterdir() if source.is_dir() else ():
        if file.is_dir():
            continue
        copy = to / file.name
        # Its job may end meanwhile, and delete the file.
        with suppress(FileNotFoundError):
            if not copy.exists() or copy.stat().st_size != file.stat().st_size:
                shutil.copyfile(file, copy)


@contextmanager
def alone(directory: Path, otherwise: str) -> Iterator[None]:
    """Hold an exclusive lock on the directory, or raise BackupError with the text ``otherwise``."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise BackupError(otherwise) from None
    finally:
        os.close(descriptor)
