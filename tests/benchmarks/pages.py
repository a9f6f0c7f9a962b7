"""List pages among a million rated members: the first page, and one in the middle.

Usage: ``python -m tests.benchmarks.pages NAME ROWS`` with DATABASE_URL naming a migrated, empty database.
Timed are the statements of a page, run as they are and read to their end.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402
from django.db.models import QuerySet  # noqa: E402
from django.http import QueryDict  # noqa: E402

from foa.web.paging import page_of  # noqa: E402
from members.models import Member  # noqa: E402
from ratings.rbb.lists.as_of import live_ratings  # noqa: E402
from ratings.rbb.models.fields import change_id, rating_id  # noqa: E402
from ratings.rbb.views.games import ChangeListView, GameListView  # noqa: E402
from ratings.rules.time_controls import Category  # noqa: E402
from tests.benchmarks.rows import Row, at_most  # noqa: E402

TIMES = 25
BLITZ = int(Category.BLITZ)


def fill(rows: int) -> None:
    """Members, each with a blitz rating and its ledger line, and as many games as members."""
    numbers = (
        f"SELECT n FROM generate_series(1::bigint, {rows}) AS numbers(n)"
        if connection.vendor == "postgresql"
        else "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers "
        f"WHERE n < {rows}) SELECT n FROM numbers"
    )
    # A member's number times a prime: neither names nor ratings stand in the order of the keys.
    mixed = f"((n * 7919) % {rows})"
    moment = (
        "timestamp '2026-03-01 00:00:00+00' + n * interval '1 second'"
        if connection.vendor == "postgresql"
        else "datetime('2026-03-01', '+' || n || ' seconds')"
    )
    no, yes = ("false", "true") if connection.vendor == "postgresql" else ("0", "1")
    points = f"100000 + {mixed} % 160000"
    countries = "substr('NORPOLGERUSAINDESPFRAITA', CAST(1 + 3 * (n % 8) AS int), 3)"
    with connection.cursor() as cursor:
        for table, columns, values in (
            (
                "members_member",
                "id, username, username_key, name, federation, sex, title",
                f"n, 'user' || n, 'user' || n, 'Name ' || {mixed}, {countries}, '', ''",
            ),
            (
                "ratings_ratingchange",
                "id, member_id, category, occurred_at, opening_id, after, games, previously_unrated,"
                " first_half_points, first_opponents, peak, reason",
                f"2 * n, n, {BLITZ}, {moment}, n, {points}, 0, {no}, 0, 0, {points}, 1",
            ),
            (
                "ratings_rating",
                "id, member_id, category, rating, games, previously_unrated, first_half_points,"
                " first_opponents, peak, last_event_at, last_change_id",
                f"4 * n + {BLITZ}, n, {BLITZ}, {points}, 0, {no}, 0, 0, {points}, {moment}, 2 * n",
            ),
            (
                "ratings_game",
                "id, white_id, black_id, time_control_id, rated, unrated_reason, result, termination,"
                " started_at, ended_at, pgn, void_reason, void_note",
                f"n, n, 1 + n % {rows}, (SELECT min(id) FROM ratings_timecontrol), {yes}, '', '1-0',"
                f" 'normal', {moment}, {moment}, '', '', ''",
            ),
        ):
            cursor.execute(f"INSERT INTO {table} ({columns}) SELECT {values} FROM ({numbers}) AS counted")
        cursor.execute("ANALYZE")


def statements(queryset: QuerySet[Any], query: str) -> list[tuple[str, Any]]:
    """What a page of this list asks of the database."""
    sent = []

    def note(execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
        sent.append((sql, values))
        return execute(sql, values, many, context)

    with connection.execute_wrapper(note):
        assert len(page_of(queryset.all(), QueryDict(query), 50).rows) == 50
    return sent


def main() -> None:
    """A row for each list."""
    name, rows = sys.argv[1], int(sys.argv[2])
    fill(rows)
    assert (change_id(0, rows), rating_id(rows, Category.BLITZ)) == (2 * rows, 4 * rows + BLITZ)
    half = rows // 2
    for what, queryset, middle in (
        ("live rating list", live_ratings(Category.BLITZ), 4 * half + BLITZ),
        ("members", Member.objects.prefetch_related("ratings").order_by("name", "username", "pk"), half),
        ("games", GameListView.queryset, half),
        ("rating changes", ChangeListView.queryset, 2 * half),
    ):
        page_row(what, queryset, middle, rows, name).send()


def page_row(what: str, queryset: QuerySet[Any], middle: int, rows: int, name: str) -> Row:
    """The first page and the one after the row of the key ``middle``, timed in turn."""
    pages = [(statements(queryset, query), []) for query in ("", f"after={middle}")]
    for _ in range(TIMES):
        for sent, taken in pages:
            with connection.cursor() as cursor:
                begun = time.perf_counter()
                for sql, values in sent:
                    cursor.execute(sql, values)
                    cursor.fetchall()
                taken.append(time.perf_counter() - begun)
    first, deep = (1000 * median(taken) for _, taken in pages)
    return Row(
        f"page of {what}, {rows:,} rows, {name}",
        f"{deep:.1f} ms in the middle",
        f"{first:.1f} ms the first page",
        (at_most(deep / first, 2.2), at_most(deep, 3, "ms of SQL")),
    )


if __name__ == "__main__":
    main()
