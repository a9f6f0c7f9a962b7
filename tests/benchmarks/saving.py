"""Row 2: saving the newest game, beside a raw loop over the very same statements."""

import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import django

django.setup()

from django.db import connection, transaction  # noqa: E402
from django.db.models import Max  # noqa: E402

from members.models import Member  # noqa: E402
from ratings.office.models import OutboxEntry  # noqa: E402
from ratings.rbb.models import Game, TimeControl  # noqa: E402
from tests.benchmarks.rows import Row, at_least, at_most  # noqa: E402

_GAMES = 1_000
_TURNS = 5
_BEGIN = datetime.now(UTC) - timedelta(minutes=30)
"""The games end now, one after another: a result that comes in late costs one statement more."""


class _RolledBack(Exception):
    pass


def games(first: int, number: int) -> list[Game]:
    """New games, each later than all before."""
    members = list(Member.objects.order_by("pk")[: number + 7])
    control = TimeControl.objects.get(initial=180, increment=0)
    begin = _BEGIN + timedelta(milliseconds=100 * first)
    return [
        Game(
            white=members[n % len(members)],
            black=members[(n + 7) % len(members)],
            time_control=control,
            result="1-0",
            started_at=begin,
            ended_at=begin + timedelta(milliseconds=100 * n),
        )
        for n in range(number)
    ]


def statements(some: list[Game]) -> list[list[tuple[str, Any]]]:
    """What saving these games sends to the database; nothing of it stays."""
    sent: list[list[tuple[str, Any]]] = []

    def record(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(("SAVEPOINT", "RELEASE")):
            sent[-1].append((sql, params))
        return execute(sql, params, many, context)

    try:
        with transaction.atomic(), connection.execute_wrapper(record):
            for game in some:
                sent.append([])
                game.save()
            raise _RolledBack
    except _RolledBack:
        if connection.vendor == "postgresql":
            # Numbers that were drawn aren't given back; the ledger's rows among the statements have them.
            entry = (OutboxEntry.objects.aggregate(last=Max("pk"))["last"] or 0) + 1
            with connection.cursor() as cursor:
                for table, first in (("ratings_game", some[0].pk), ("office_outboxentry", entry)):
                    cursor.execute(
                        "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s, false)", [table, first]
                    )
        return sent


def raw(sent: list[list[tuple[str, Any]]]) -> float:
    """Games a second when the driver alone sends the statements, one transaction a game."""
    own = connection.connection
    begun = time.perf_counter()
    for of_a_game in sent:
        if connection.vendor == "sqlite":
            own.execute("BEGIN IMMEDIATE")
            for sql, params in of_a_game:
                own.execute(sql.replace("%s", "?"), params).fetchall()
            own.execute("COMMIT")
        else:
            with own.transaction():
                for sql, params in of_a_game:
                    cursor = own.execute(sql, params)
                    if cursor.description:
                        cursor.fetchall()
    return len(sent) / (time.perf_counter() - begun)


def saved(some: list[Game]) -> float:
    """Games a second by Game.save()."""
    begun = time.perf_counter()
    for game in some:
        game.save()
    return len(some) / (time.perf_counter() - begun)


if __name__ == "__main__":
    name = sys.argv[1]
    connection.ensure_connection()
    best = limit = 0.0
    for turn in range(_TURNS):
        best = max(best, saved(games(2_000 * turn, _GAMES)))
        sent = statements(games(2_000 * turn + 1_000, _GAMES))
        limit = max(limit, raw(sent))
    Row(
        f"save one game, all signals, {name}",
        f"{best:,.0f} games/s, {len(sent[0])} statements",
        f"{limit:,.0f} games/s, the driver alone",
        (
            at_least(best / limit, 0.6 if name == "PostgreSQL" else 0.25),
            at_most(len(sent[0]), 7, "statements"),
        ),
    ).send()
