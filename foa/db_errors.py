"""Faults of the database that pass: it is down, starting, too busy, or has ended one of two that waited."""

from __future__ import annotations

import sqlite3
from typing import Final

import psycopg
from django.db import Error, IntegrityError, InterfaceError, OperationalError

RETRY_AFTER: Final = 5
"""Seconds after which somebody may ask again: a database that was stopped is back in about that time."""


def passes(fault: BaseException | None) -> bool:
    """Whether this is such a fault, or the database's complaint about what such a fault has left behind.

    SQLite says in the same way that a table doesn't exist, which doesn't pass.
    """
    if not isinstance(fault, Error):
        return False
    if not isinstance(fault, OperationalError | InterfaceError):
        return passes(fault.__cause__ or fault.__context__)
    cause = fault.__cause__
    if isinstance(cause, sqlite3.Error):
        return isinstance(fault, OperationalError) and cause.sqlite_errorcode != sqlite3.SQLITE_ERROR
    return True


def is_conflict(fault: BaseException) -> bool:
    """Whether two transactions met in one row or waited for each other: once more, and it may go well."""
    if isinstance(fault, IntegrityError):
        return True
    return isinstance(fault.__cause__, psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure)
