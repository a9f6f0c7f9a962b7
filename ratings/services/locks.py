"""Who waits for whom.

Appending the newest game of two members needs the category only shared, so that games of different members
are saved side by side; a replay needs it alone. On PostgreSQL these are advisory locks of the transaction: a
member's first game has no row yet that could be locked. SQLite has one writer at a time (BEGIN IMMEDIATE).
"""

from __future__ import annotations

from datetime import datetime

from django.db.backends.base.base import BaseDatabaseWrapper

from ratings.rules.time_controls import Category

__all__ = ["lock_category", "lock_for_event", "lock_imports"]

# The first number of the locks of categories ("foa" in ASCII); those of members take the next ones.
_CATEGORIES = 0x666F61
_IMPORTS = 0
_LARGEST_INT4 = 2**31 - 1


def lock_category(connection: BaseDatabaseWrapper, category: Category) -> None:
    """Wait until nobody else changes ratings of this category, until the end of the transaction."""
    _lock_alone(connection, int(category))


def lock_for_event(
    connection: BaseDatabaseWrapper,
    category: Category,
    members: tuple[int, int],
    ratings: tuple[int, int],
    moment: datetime,
) -> None:
    """Lock the category for one event, then its two members in the order of their ids.

    The category is taken alone at once when a rating row already knows a later event: two transactions that
    both hold it shared and both find out afterwards would wait for each other.
    """
    if connection.vendor != "postgresql":
        return
    alone = (_CATEGORIES, int(category))
    members_of = _CATEGORIES + int(category)
    first, second = sorted(member & _LARGEST_INT4 for member in members)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT CASE WHEN EXISTS (
                SELECT FROM ratings_rating WHERE id IN (%s, %s) AND last_event_at >= %s
            ) THEN pg_advisory_xact_lock(%s, %s) ELSE pg_advisory_xact_lock_shared(%s, %s) END,
            pg_advisory_xact_lock(%s, %s), pg_advisory_xact_lock(%s, %s)
            """,
            (*ratings, moment, *alone, *alone, members_of, first, members_of, second),
        )


def lock_imports(connection: BaseDatabaseWrapper) -> None:
    """Wait for another import of games: of two runs of one file the second finds everything already there."""
    _lock_alone(connection, _IMPORTS)


def _lock_alone(connection: BaseDatabaseWrapper, what: int) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", (_CATEGORIES, what))
