"""What of players decides whether their games may be rated, read in one statement."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections

from members.models import AccountClosure, FullMembership
from ratings.office.bulk import as_moment, batches
from ratings.office.locks import LOCKS
from ratings.rules.rbb.conditions import Account, Span
from ratings.rules.time_controls import Category

_OF_ACCOUNTS: Final = LOCKS + len(Category) + 1
_LOCKS_OF_ACCOUNTS: Final = 1024
"""So many locks are shared by all accounts: a file of members may change any number of them at once."""

_SPANS: Final = (
    (FullMembership, "full_from", "full_until"),
    (AccountClosure, "closed_from", "closed_until"),
)


def accounts_of(
    members: Collection[int], *, kept: bool = False, using: str = DEFAULT_DB_ALIAS
) -> dict[int, Account]:
    """Full membership (RBB 2.1) and closures of each of these members, who are not named.

    ``kept``: what is read stays so until the end of the transaction.
    """
    connection = connections[using]
    spans: dict[int, tuple[list[Span], list[Span]]] = {member: ([], []) for member in members}
    with connection.cursor() as cursor:
        for some in batches(list(spans)):
            one = [list(some)] if connection.vendor == "postgresql" else list(some)
            # One round trip: each statement sees what was committed while one before it waited.
            waiting = f"SELECT {shared_locks(some)};" if kept and connection.vendor == "postgresql" else ""
            cursor.execute(waiting + _selection(connection.vendor, len(some)), one * len(_SPANS))
            if waiting:
                cursor.nextset()
            for member, which, begin, end in cursor.fetchall():
                spans[member][which].append((as_moment(begin), end and as_moment(end)))
    return {member: Account(*of_member) for member, of_member in spans.items()}


def locks_of(members: Iterable[int]) -> list[str]:
    """The two numbers of each lock of these accounts, in the order in which everybody takes them."""
    return [f"{_OF_ACCOUNTS}, {one}" for one in sorted({member % _LOCKS_OF_ACCOUNTS for member in members})]


def shared_locks(members: Iterable[int]) -> str:
    """What PostgreSQL calls to wait for whoever changes these accounts, and then keep everybody from it."""
    return ", ".join(f"pg_advisory_xact_lock_shared({one})" for one in locks_of(members))


@lru_cache(maxsize=32)
def _selection(vendor: str, number: int) -> str:
    # One parameter for all: PostgreSQL's driver looks long for thousands of places to put them.
    places = "= ANY(%s)" if vendor == "postgresql" else f"IN ({', '.join(['%s'] * number)})"
    # SQLite's driver would make a datetime of a moment.
    moment = "{}" if vendor == "postgresql" else "CAST({} AS text)"
    return " UNION ALL ".join(
        f"SELECT member_id, {which}, {moment.format(begin)}, {moment.format(end)}"  # noqa: S608  names, no values
        f' FROM "{model._meta.db_table}" WHERE member_id {places}'
        for which, (model, begin, end) in enumerate(_SPANS)
    )
