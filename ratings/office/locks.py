"""Who waits for whom: on PostgreSQL advisory locks of the transaction, of which each room has its own number.

SQLite has one writer at a time (BEGIN IMMEDIATE), so there nobody has to wait for a lock besides.
"""

from __future__ import annotations

from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper

LOCKS: Final = 0x666F61
"""The first of the two numbers of every lock of the office: "foa" in ASCII."""

_OUTBOX: Final = -4


def lock_alone(connection: BaseDatabaseWrapper, what: int) -> None:
    """Wait until nobody else holds this lock, and keep it until the end of the transaction."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", (LOCKS, what))


def lock_outbox(connection: BaseDatabaseWrapper) -> None:
    """Wait for whoever else numbers entries of the outbox."""
    lock_alone(connection, _OUTBOX)
