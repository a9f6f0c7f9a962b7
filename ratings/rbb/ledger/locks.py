"""Locks of categories, replays and members.

Appending the newest event of its members needs only a shared lock of the category, so that games of different
members can be saved at the same time. A replay keeps other replays out while it finds what moves, and then
locks the category exclusively while it writes. On PostgreSQL these are advisory locks of the transaction,
because a member has no row to lock before their first game. SQLite has one writer at a time (BEGIN
IMMEDIATE).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import connection
from django.utils import timezone

from foa.locking import lock_rows
from foa.moments import month_of
from members.models import Member
from ratings.office.locks import LOCKS, lock_alone
from ratings.rbb.models.eligibility import locks_of, shared_locks
from ratings.rules.time_controls import Category

_IMPORTS = 0
_ACCOUNTS = -5
_REPLAYS = len(Category) + 1
_LARGEST_INT4 = 2**31 - 1


def _take(statement: str) -> None:
    """Run a statement that takes locks, on PostgreSQL."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(statement)


def lock_replays(category: Category) -> None:
    """Wait until no other transaction replays this category, and keep the lock until the end of this one.

    The newest games can still be rated meanwhile: whatever was read of earlier ones stays true.
    """
    lock_alone(_REPLAYS + category)


def lock_category(category: Category) -> None:
    """Wait until nobody else changes ratings of this category; keep the lock until the transaction ends."""
    lock_replays(category)
    lock_alone(int(category))


def locks_for_event(
    category: Category,
    members: Iterable[int],
    ratings: Iterable[int],
    moment: datetime,
) -> str:
    """Return a statement that locks the members of an event in the order of their ids, then the category.

    It is empty on SQLite.

    If one of them already has a later event, or a list includes its moment, a replay will follow; then other
    replays are kept out instead. Members are locked before replays: whoever holds a category waits for
    nobody. It is a block, because each of its statements sees what was committed while the previous one
    waited, as does the statement behind it in the same round trip.
    """
    if connection.vendor != "postgresql":
        return ""
    of_members = LOCKS + int(category)
    locks = "\n".join(
        f"PERFORM pg_advisory_xact_lock({of_members}, {member});"
        for member in sorted(one & _LARGEST_INT4 for one in members)
    )
    # A list shows the first moment of a month. A game after the current month's can't be on a published list.
    may_be_listed = "TRUE" if moment <= month_of(timezone.now()) else "FALSE"
    # A block can't have parameters; everything inserted here is a number or a moment.
    return f"""
        DO $$ BEGIN
            {locks}
            IF EXISTS (
                SELECT FROM ratings_rating
                WHERE id IN ({", ".join(map(str, map(int, ratings)))})
                AND last_event_at >= '{moment.isoformat()}'
            ) OR {may_be_listed} AND EXISTS (
                SELECT FROM ratings_ratinglist
                WHERE category = {int(category)} AND month IS NOT NULL
                AND as_of >= '{moment.isoformat()}'
            ) THEN
                PERFORM pg_advisory_xact_lock({LOCKS}, {_REPLAYS + category});
            ELSE
                PERFORM pg_advisory_xact_lock_shared({LOCKS}, {int(category)});
            END IF;
        END $$;
        """  # noqa: S608  numbers and a moment


def lock_imports() -> None:
    """Wait for other imports of games: if a file is imported twice, the second run finds all its games."""
    lock_alone(_IMPORTS)


def lock_accounts(members: Iterable[int]) -> None:
    """Wait until these members' games are stored, and block new ones, because accounts are changing.

    Pass all members that a transaction changes, since some share a lock.
    """
    locks = (f"pg_advisory_xact_lock({one})" for one in (f"{LOCKS}, {_ACCOUNTS}", *locks_of(members)))
    _take(f"SELECT {', '.join(locks)}")


def lock_members(members: Iterable[int]) -> None:
    """Lock these members against other changes and new games of theirs.

    Pass all members that a transaction changes. Rows are locked before accounts, which prevents deadlocks.
    """
    if keys := list(lock_rows(Member.everybody.only("pk"), members)):
        lock_accounts(keys)


def share_accounts() -> None:
    """Keep all accounts unchanged until the end of the transaction, before it looks up players."""
    _take(f"SELECT pg_advisory_xact_lock_shared({LOCKS}, {_ACCOUNTS})")


def share_accounts_of(members: tuple[int, int]) -> None:
    """Keep two accounts unchanged until the end of the transaction.

    Raises a serialization failure if one of them was merged since the players were looked up: retry.
    """
    _take(
        f"""
        DO $$ BEGIN
            PERFORM {shared_locks(members)};
            IF EXISTS (
                SELECT FROM members_member
                WHERE id IN ({", ".join(map(str, map(int, members)))}) AND merged_into_id IS NOT NULL
            ) THEN
                RAISE EXCEPTION 'an account was merged meanwhile' USING ERRCODE = 'serialization_failure';
            END IF;
        END $$
        """,
    )
