"""Locks: on PostgreSQL, advisory locks of the transaction. Each room has its own number.

SQLite has one writer at a time (BEGIN IMMEDIATE), so nobody needs another lock there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from zlib import crc32

from django.db import connection

LOCKS: Final = 0x666F61
"""First of the two numbers of every lock of the office: "foa" in ASCII."""

_OUTBOX: Final = -4
_LOCKS_OF_NAMES: Final = 256
"""Number of locks shared by all names of a kind: a request or file may bring thousands of them."""


def lock_alone(what: int) -> None:
    """Wait for this lock, and keep it until the end of the transaction."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", (LOCKS, what))


def lock_names(kind: int, names: Iterable[str]) -> None:
    """Wait until no other transaction has locked these names, and keep them until the end of this one."""
    if locks := locks_of(kind, names):
        with connection.cursor() as cursor:
            cursor.execute(locks)


def locks_of(kind: int, names: Iterable[str]) -> str:
    """Return the statement that locks these names, always in the same order; ``""`` if there is none.

    ``kind``: the first number of the locks, which no other kind has.
    """
    if connection.vendor != "postgresql":
        return ""
    numbers = sorted({crc32(name.encode()) % _LOCKS_OF_NAMES for name in names})
    locks = ", ".join(f"pg_advisory_xact_lock({kind}, {number})" for number in numbers)
    return f"SELECT {locks};" if locks else ""


def lock_outbox() -> None:
    """Wait until nobody else numbers entries of the outbox."""
    lock_alone(_OUTBOX)
