"""The files of imported FIDE lists, kept for FIDE IDs that become known later.

Each is a ZIP archive in a folder of the uploads, named after the SHA-256 of the imported file. The office
keeps it for as long as it knows the list.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings

from ratings.formats.frl import is_archive
from ratings.formats.problems import FileRefused

_FOLDER: Final = "fide-lists"
_LEVEL: Final = 1
"""Level of deflate: the fastest. A text list of 317 MB takes some seconds and shrinks to 60 MB."""

_MAY_BE_UNDER_WAY: Final = 86_400
"""Seconds for which a file without a list is left alone: its import may still be running."""


def keep_list(stream: BinaryIO, sha256: str) -> None:
    """Keep the file of a list, unless it is kept already. Raises FileRefused if there isn't enough room."""
    path = _path(sha256)
    if path.exists():
        return
    unfinished = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        stream.seek(0)
        with os.fdopen(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as file:
            if is_archive(stream):
                shutil.copyfileobj(stream, file)
            else:
                with (
                    ZipFile(file, "w", ZIP_DEFLATED, compresslevel=_LEVEL) as archive,
                    archive.open("list", "w", force_zip64=True) as packed,
                ):
                    shutil.copyfileobj(stream, packed, 1 << 20)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise FileRefused(f"its file can’t be kept in {path.parent} ({error.strerror})") from error


def is_list_kept(sha256: str) -> bool:
    """Return True if the file of a list is kept."""
    return _path(sha256).exists()


def open_kept(sha256: str) -> BinaryIO:
    """Open the file of a list. Raises FileNotFoundError if it isn't kept."""
    return _path(sha256).open("rb")


def forget_list(sha256: str) -> None:
    """Delete the file of a list, if it is there."""
    _path(sha256).unlink(missing_ok=True)


def forget_all_but(known: Collection[str]) -> None:
    """Delete all files but those of known lists. Imports that were killed or not stored leave such files."""
    folder = Path(settings.UPLOAD_DIR, _FOLDER)
    for path in folder.iterdir() if folder.is_dir() else ():
        is_whole = path.suffix == ".zip"
        if not (is_whole and path.stem in known) and time.time() - path.stat().st_mtime > _MAY_BE_UNDER_WAY:
            path.unlink(missing_ok=True)


def _path(sha256: str) -> Path:
    return Path(settings.UPLOAD_DIR, _FOLDER, f"{sha256}.zip")
