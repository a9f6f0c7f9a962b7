"""Locks: on PostgreSQL, advisory locks of the transaction. Each room has its own number.

SQLite has one writer at a time (BEGIN IMMEDIATE), so nobody needs another lock there.
"""

from __future__ import annotations

from typing import Final

from django.db import connection

LOCKS: Final = 0x666F61
"""First of the two numbers of every lock of the office: "foa" in ASCII."""

_OUTBOX: Final = -4


def lock_alone(what: int) -> None:
    """Wait for this lock, and keep it until the end of the transaction."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", (LOCKS, what))


def lock_outbox() -> None:
    """Wait until nobody else numbers entries of the outbox."""
    lock_alone(_OUTBOX)
