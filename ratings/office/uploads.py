"""Files that staff upload for a job: kept until the job has ended, for the eyes of the office alone.

So are files that wait for a decision. Tasks and decisions name theirs as ``upload``, by which leftovers are
told apart.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from ratings.formats.problems import file_name
from ratings.office.models import ChangeSet, FileImport

_NOT_YET_ASKED: Final = 3600
"""Seconds for which a file without a job is let alone: its upload may be under way."""

_NAME: Final = re.compile(r"[0-9a-f]{32}")


def keep(chunks: Iterable[bytes]) -> str:
    """Store a file for a job; its name there, which nobody can guess."""
    directory = Path(settings.UPLOAD_DIR)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = secrets.token_hex(16)
    try:
        with os.fdopen(os.open(directory / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.writelines(chunks)
    except BaseException:
        discard(name)
        raise
    return name


def keep_for_decision(content: bytes, source: str) -> dict[str, str]:
    """Store a file for a decision; return what the form of its kind takes of it. ``source``: its name."""
    return {
        "upload": keep([content]),
        "sha256": hashlib.sha256(content).hexdigest(),
        "source": file_name(source),
    }


@contextmanager
def taken(name: str) -> Iterator[BufferedReader]:
    """The file, for the job that it was stored for; afterwards it is gone, whatever came of the job."""
    try:
        with _path(name).open("rb") as file:
            yield file
    finally:
        discard(name)


def content_of(name: str, sha256: str) -> bytes:
    """A file that waits for a decision, which stays where it is.

    Raises ValidationError if it is gone, or isn't the one with this SHA-256. The name may come from an
    address.
    """
    try:
        content = _path(name).read_bytes() if _NAME.fullmatch(name) else b""
    except FileNotFoundError:
        content = b""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValidationError(gettext("The file has expired. Choose it again."))
    return content


def opened(name: str) -> BufferedReader:
    """A file that is kept, to be read. Raises FileNotFoundError if it is gone."""
    return _path(name).open("rb")


def is_kept(name: str | None) -> bool:
    """Whether a file is still there; a job that needs none has none that could be gone."""
    return name is None or _path(name).exists()


def discard(name: str) -> None:
    """Delete a file, if it is there."""
    _path(name).unlink(missing_ok=True)


def let_go(parameters: Mapping[str, list[str]]) -> None:
    """Once this is stored, delete the file of a decision that is over, unless another one waits for it."""
    for name in parameters.get("upload", ()):
        transaction.on_commit(partial(discard_unless_wanted, name))


def discard_unless_wanted(name: str) -> None:
    """Delete a file whose decision was refused or is made; one that waits for a second person stays."""
    if name not in _wanted():
        discard(name)


def discard_leftovers() -> None:
    """Delete what no job waits for or works on: its worker was killed, or it was never asked for."""
    directory = Path(settings.UPLOAD_DIR)
    # A folder is kept by whom it is of.
    files = [file for file in directory.iterdir() if file.is_file()] if directory.is_dir() else []
    if not files:
        return
    wanted = _wanted()
    for file in files:
        try:
            if file.name not in wanted and time.time() - file.stat().st_mtime > _NOT_YET_ASKED:
                file.unlink()
        except FileNotFoundError:
            # Its job has ended meanwhile.
            continue


def _wanted() -> set[Any]:
    """The files of jobs and change sets that wait or are under way, and those that staff brought.

    The refused rows of a file are wanted after it was applied, too.
    """
    open_tasks = DBTaskResult.objects.filter(status__in=(TaskResultStatus.READY, TaskResultStatus.RUNNING))
    wanted = {asked["kwargs"].get("upload") for asked in open_tasks.values_list("args_kwargs", flat=True)}
    for parameters in ChangeSet.objects.open().values_list("parameters", flat=True):
        wanted.update(parameters.get("upload", ()))
    brought = FileImport.objects.filter(dropped_at=None).select_related("change_set")
    for one in brought.defer("report", "shown"):
        wanted.add(one.refusals)
        if one.change_set is None or one.change_set.state != ChangeSet.State.APPLIED:
            wanted.update(one.parameters.get("upload", ()))
    return wanted


def _path(name: str) -> Path:
    return Path(settings.UPLOAD_DIR) / name
