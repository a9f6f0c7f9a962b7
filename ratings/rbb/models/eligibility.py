"""Facts about players that decide whether their games may be rated, read in one query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any, Final

from django.db import connection

from members.models import AccountClosure, FullMembership
from ratings.office.bulk import as_moment, batches
from ratings.office.locks import LOCKS
from ratings.rules.rbb.conditions import Account, Closure, Span
from ratings.rules.time_controls import Category

_OF_ACCOUNTS: Final = LOCKS + len(Category) + 1
_LOCKS_OF_ACCOUNTS: Final = 1024
"""Number of locks shared by all accounts: a file of members may change any number of them at once."""


def eligibility_of(members: Collection[int], *, kept: bool = False) -> dict[int, Account]:
    """Return full membership (RBB 2.1) and closures of each of these members.

    ``kept``: lock these facts against changes until the end of the transaction.
    """
    full: dict[int, list[Span]] = {member: [] for member in members}
    closed: defaultdict[int, dict[int, Closure]] = defaultdict(dict)
    with connection.cursor() as cursor:
        for some in batches(list(full)):
            one = [list(some)] if connection.vendor == "postgresql" else list(some)
            # One round trip: each statement sees what was committed while an earlier one waited.
            waiting = f"SELECT {shared_locks(some)};" if kept and connection.vendor == "postgresql" else ""
            cursor.execute(waiting + _selection(connection.vendor, len(some)), one * 2)
            if waiting:
                cursor.nextset()
            for member, begin, end, closure, since, opponent, decided, category, note in cursor.fetchall():
                span = as_moment(begin), end and as_moment(end)
                if closure is None:
                    full[member].append(span)
                    continue
                new = Closure(*span, since and as_moment(since), set(), as_moment(decided), category, note)
                known = closed[member].setdefault(closure, new)
                if opponent is not None:
                    known.opponents.add(opponent)
    return {member: Account(spans, tuple(closed[member].values()), member) for member, spans in full.items()}


def rule_of(closure: AccountClosure, opponents: Iterable[int]) -> Closure:
    """Return the rule of a closure, stored or about to be, with these opponents."""
    facts: dict[str, Any] = {name: getattr(closure, name) for name in Closure._fields if name != "opponents"}
    return Closure(**facts, opponents=set(opponents))


def locks_of(members: Iterable[int]) -> list[str]:
    """Return the two numbers of each of these accounts' locks, always in the same order."""
    return [f"{_OF_ACCOUNTS}, {one}" for one in sorted({member % _LOCKS_OF_ACCOUNTS for member in members})]


def shared_locks(members: Iterable[int]) -> str:
    """Return SQL calls that wait for changes of these accounts, then lock them against others."""
    return ", ".join(f"pg_advisory_xact_lock_shared({one})" for one in locks_of(members))


@lru_cache(maxsize=32)
def _selection(vendor: str, number: int) -> str:
    # One parameter for all: PostgreSQL's driver is slow with thousands of placeholders.
    places = "= ANY(%s)" if vendor == "postgresql" else f"IN ({', '.join(['%s'] * number)})"
    # SQLite's driver would turn a moment into a datetime.
    moment = "{}" if vendor == "postgresql" else "CAST({} AS text)"
    full, closed, against = (
        model._meta.db_table for model in (FullMembership, AccountClosure, AccountClosure.opponents.through)
    )
    begin, end, since, decided = (
        moment.format(name) for name in ("closed_from", "closed_until", "games_since", "decided_at")
    )
    return (
        f"SELECT member_id, {moment.format('full_from')}, {moment.format('full_until')},"  # noqa: S608  names, no values
        f' NULL, NULL, NULL, NULL, NULL, NULL FROM "{full}" WHERE member_id {places} UNION ALL'
        f" SELECT c.member_id, {begin}, {end}, c.id, {since}, o.member_id, {decided}, c.category, c.note"
        f' FROM "{closed}" c LEFT JOIN "{against}" o ON o.accountclosure_id = c.id WHERE c.member_id {places}'
    )
