"""What of players decides whether their games may be rated, read in one statement."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections

from members.models import AccountClosure, FullMembership
from ratings.office.bulk import as_moment, batches
from ratings.rules.rbb.conditions import Account, Span

_SPANS: Final = (
    (FullMembership, "full_from", "full_until"),
    (AccountClosure, "closed_from", "closed_until"),
)


def accounts_of(members: Collection[int], *, using: str = DEFAULT_DB_ALIAS) -> dict[int, Account]:
    """Full membership (RBB 2.1) and closures of each of these members, who are not named."""
    connection = connections[using]
    spans: dict[int, tuple[list[Span], list[Span]]] = {member: ([], []) for member in members}
    with connection.cursor() as cursor:
        for some in batches(list(spans)):
            one = [list(some)] if connection.vendor == "postgresql" else list(some)
            cursor.execute(_selection(connection.vendor, len(some)), one * len(_SPANS))
            for member, which, begin, end in cursor.fetchall():
                spans[member][which].append((as_moment(begin), end and as_moment(end)))
    return {member: Account(*of_member) for member, of_member in spans.items()}


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
