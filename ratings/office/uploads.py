"""Files that staff upload for a job. They are kept until the job has ended, and only the office can see them.

The same holds for files that wait for a decision. Tasks and decisions have the name of their file as
``upload``, so leftovers can be recognized.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
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
"""Seconds for which a file without a job is kept: its upload may be in progress."""

_NAME: Final = re.compile(r"[0-9a-f]{32}")


_kept: Final[ContextVar[list[str] | None]] = ContextVar("kept", default=None)


def keep(chunks: Iterable[bytes]) -> str:
    """Store a file for a job. Return its name, which nobody can guess."""
    directory = Path(settings.UPLOAD_DIR)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = secrets.token_hex(16)
    try:
        with os.fdopen(os.open(directory / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.writelines(chunks)
    except BaseException:
        discard(name)
        raise
    kept = _kept.get()
    if kept is not None:
        kept.append(name)
    return name


@contextmanager
def discarded_afterwards() -> Iterator[None]:
    """Delete the files that are stored within, once what wanted them was rolled back."""
    names: list[str] = []
    token = _kept.set(names)
    try:
        yield
    finally:
        _kept.reset(token)
        for name in names:
            discard_unless_wanted(name)


def keep_for_decision(content: bytes, source: str) -> dict[str, str]:
    """Store a file for a decision; return what the form of its kind takes of it. ``source``: its name."""
    return {
        "upload": keep([content]),
        "sha256": hashlib.sha256(content).hexdigest(),
        "source": file_name(source),
    }


@contextmanager
def taken(name: str) -> Iterator[BufferedReader]:
    """Open the file for the job that it was stored for, and delete it afterwards, even if the job fails."""
    try:
        with _path(name).open("rb") as file:
            yield file
    finally:
        discard(name)


def content_of(name: str, sha256: str) -> bytes:
    """Return the contents of a file that waits for a decision. The file stays.

    Raises ValidationError if it is gone or has another SHA-256. The name may come from an address.
    """
    try:
        content = _path(name).read_bytes() if _NAME.fullmatch(name) else b""
    except FileNotFoundError:
        content = b""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValidationError(gettext("The file has expired. Choose it again."))
    return content


def opened(name: str) -> BufferedReader:
    """Open a kept file for reading. Raises FileNotFoundError if it is gone."""
    return _path(name).open("rb")


def is_kept(name: str | None) -> bool:
    """Return True if the file still exists, or the name is None because the job needs no file."""
    return name is None or _path(name).exists()


def discard(name: str) -> None:
    """Delete a file, if it is there."""
    _path(name).unlink(missing_ok=True)


def let_go(parameters: Mapping[str, list[str]]) -> None:
    """Delete the file of a finished decision after this commit, unless another decision needs it."""
    for name in parameters.get("upload", ()):
        transaction.on_commit(partial(discard_unless_wanted, name))


def discard_unless_wanted(name: str) -> None:
    """Delete a file whose decision was made or refused, unless something else still needs it."""
    if name not in _wanted():
        discard(name)


def discard_leftovers() -> None:
    """Delete files that no job waits for or uses: its worker was killed, or the job was never queued."""
    directory = Path(settings.UPLOAD_DIR)
    # Skip folders: whoever stores them looks after them.
    files = [file for file in directory.iterdir() if file.is_file()] if directory.is_dir() else []
    if not files:
        return
    wanted = _wanted()
    for file in files:
        try:
            if file.name not in wanted and time.time() - file.stat().st_mtime > _NOT_YET_ASKED:
                file.unlink()
        except FileNotFoundError:
            # The job has ended meanwhile.
            continue


def _wanted() -> set[Any]:
    """Return the files of jobs and change sets that wait or run, and those of uploads.

    The refused rows of an upload are still wanted after it was applied.
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
