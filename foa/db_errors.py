"""Temporary database errors: it is down, starting or too busy, or has ended a transaction in a deadlock."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import psycopg
from django.db import Error, IntegrityError, InterfaceError, OperationalError, ProgrammingError
from django.utils.translation import gettext_lazy as _

from foa.disks import MAKE_ROOM

BUSY: Final = _("The database is busy. Please try again later.")
"""Error of a page that has to write, if only for a preview: SQLite has one writer at a time."""

RETRY_AFTER: Final = 5
"""Seconds after which to retry: about the time a restart of the database takes."""

_NO_ROOM: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""SQLite's errors on a full disk: it also needs room to open a file, and says only “disk I/O error” then."""

_ATTEMPTS: Final = 3
"""Maximum number of attempts at a transaction that conflicts with others."""

P = ParamSpec("P")
T = TypeVar("T")


def passes(fault: BaseException | None) -> bool:
    """Return whether this is a temporary error, or one that follows from a temporary error.

    SQLite raises the same class for a missing table, which isn't temporary.
    """
    if not isinstance(fault, Error):
        return False
    if not isinstance(fault, OperationalError | InterfaceError):
        return passes(fault.__cause__ or fault.__context__)
    cause = fault.__cause__
    if isinstance(cause, sqlite3.Error):
        return isinstance(fault, OperationalError) and cause.sqlite_errorcode != sqlite3.SQLITE_ERROR
    return True


def is_of_database(fault: BaseException) -> bool:
    """Return whether the database or its URL is at fault, and not a statement of ours.

    PostgreSQL's errors have an SQLSTATE. An unknown option of the URL has none: no server was asked.
    """
    if not isinstance(fault, ProgrammingError):
        return isinstance(fault, OperationalError)
    cause = fault.__cause__
    return isinstance(cause, psycopg.errors.UndefinedTable) or (
        isinstance(cause, psycopg.Error) and cause.sqlstate is None
    )


def unusable(fault: BaseException) -> str:
    """Say in one line that there is no database at DATABASE_URL, or that it lacks something."""
    return f"The database can’t be used (DATABASE_URL): {told(fault)}"


def is_full(fault: BaseException | None) -> bool:
    """Return whether the disk of the database is full, or can't be written for another reason."""
    cause = fault.__cause__ if isinstance(fault, Error) else None
    if isinstance(cause, sqlite3.Error):
        # The lower byte of SQLite's code is the kind of error; the other says where it happened.
        return cause.sqlite_errorcode & 0xFF in _NO_ROOM
    return isinstance(cause, psycopg.errors.DiskFull)


def told(fault: BaseException) -> str:
    """Return the error in one line, and what to do if the disk is full."""
    said = " ".join(str(fault).split())
    return f"{said}. The disk of the database may be full. {MAKE_ROOM}" if is_full(fault) else said


def again_after_conflicts(action: Callable[P, T]) -> Callable[P, T]:
    """Repeat a transaction up to three times if others store or change the same at the same time."""

    @wraps(action)
    def attempts(*args: P.args, **kwargs: P.kwargs) -> T:
        for _attempt in range(_ATTEMPTS - 1):
            try:
                return action(*args, **kwargs)
            except (IntegrityError, OperationalError) as error:
                if not _is_conflict(error):
                    raise
        return action(*args, **kwargs)

    return attempts


def _is_conflict(fault: BaseException) -> bool:
    """Return whether two transactions conflicted or deadlocked, so that a retry may succeed."""
    if isinstance(fault, IntegrityError):
        return True
    return isinstance(fault.__cause__, psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure)
