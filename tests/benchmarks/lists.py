"""Rating lists of a million members: publishing, files, pages by position and of a moment.

Usage: ``python -m tests.benchmarks.lists NAME ROWS`` with DATABASE_URL naming a database that
``tests.benchmarks.pages`` has filled. Each limit is timed in the same run.
"""

from __future__ import annotations

import csv
import io
import resource
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.test import RequestFactory  # noqa: E402
from django.urls import include, path  # noqa: E402

from ratings.rbb.lists.files import LIST_FORMATS, published_list_file  # noqa: E402
from ratings.rbb.lists.publishing import publish  # noqa: E402
from ratings.rbb.models import RatingList, RatingListEntry  # noqa: E402
from ratings.rbb.models.fields import EventType, change_id  # noqa: E402
from ratings.rbb.models.lists import entry_id  # noqa: E402
from ratings.rbb.views.published import PublishedListView  # noqa: E402
from ratings.rules.rbb.rating import Reason  # noqa: E402
from ratings.rules.time_controls import Category  # noqa: E402
from tests.benchmarks.pages import page_row  # noqa: E402
from tests.benchmarks.rows import Row, at_least, at_most  # noqa: E402

TURNS = 3
AS_OF = "2026-10-10T12:00"
COLUMNS = (
    "rank, username, fide_id, name, title, federation, rating, games, previous, previous, period_games, k,"
    " late_games, withdrawn_games, rating, games_change, adjustments_change, openings_change, earlier_change"
)

urlpatterns = [
    path("hello/", lambda request: HttpResponse("hello, world")),
    path("", include("foa.urls")),
]


def seconds(job: Callable[[], Any]) -> float:
    """How long a job takes."""
    begun = time.perf_counter()
    job()
    return time.perf_counter() - begun


def play_october() -> None:
    """A third of the members win a game each, spread over the month."""
    game, rated = change_id(EventType.GAME, 0), int(Reason.RATED)
    moment, no = (
        ("timestamp '2026-10-01 00:00:00+00' + member_id * 26 / 10 * interval '1 second'", "false")
        if connection.vendor == "postgresql"
        else ("datetime('2026-10-01', '+' || (member_id * 26 / 10) || ' seconds')", "0")
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO ratings_ratingchange (id, member_id, category, occurred_at, game_id, opponent_id,"
            " before, after, change, games, previously_unrated, first_half_points, first_opponents, peak,"
            " reason)"
            f" SELECT {game} + 2 * member_id, member_id, category, {moment}, member_id, 1,"
            f" rating, rating + 900, 900, 1, {no}, 0, 0, rating + 900, {rated}"
            " FROM ratings_rating WHERE member_id % 3 = 0"
        )
        cursor.execute(
            f"UPDATE ratings_rating SET rating = rating + 900, games = 1, peak = rating + 900,"
            f" last_event_at = {moment}, last_change_id = {game} + 2 * member_id WHERE member_id % 3 = 0"
        )
        cursor.execute("ANALYZE")


def write_what_is_due() -> None:
    """A checkpoint. After it, first changes of pages go to the log in full, for list and limit alike."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("CHECKPOINT")


def publishing() -> tuple[RatingList, float]:
    """The second list, which has one before it to compare with, and a month of games."""
    month = datetime(2026, 10, 1, tzinfo=UTC)
    publish(category=Category.BLITZ, month=month, at=month)
    play_october()
    month = datetime(2026, 11, 1, tzinfo=UTC)
    write_what_is_due()
    took = seconds(lambda: publish(category=Category.BLITZ, month=month, at=month))
    return RatingList.objects.monthly()[0], took


def lines_alone(published: RatingList) -> float:
    """Seconds for the lines once more, as another list: read from a copy, into the same indexes."""
    names = ", ".join(field.column for field in RatingListEntry._meta.concrete_fields)
    other = published.pk + 1
    moved = names.replace("id, rating_list_id", f"id + {entry_id(1, 0)}, {other}", 1)
    entries = RatingListEntry._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE copied AS SELECT {names} FROM {entries} WHERE rating_list_id = {published.pk}"
            " ORDER BY id"
        )
        write_what_is_due()
        took = seconds(lambda: cursor.execute(f"INSERT INTO {entries} ({names}) SELECT {moved} FROM copied"))
        cursor.execute(f"DELETE FROM {entries} WHERE rating_list_id = {other}")
        cursor.execute("DROP TABLE copied")
        if connection.vendor == "postgresql":
            cursor.execute(f"VACUUM ANALYZE {entries}")
    return took


def answered(address: str) -> float:
    """Seconds until the first byte of an answer, through all middleware."""
    handler, requests = WSGIHandler(), RequestFactory(headers={"host": "localhost"})
    begun = time.perf_counter()
    response = handler(requests.get(address).environ, lambda *_: None)
    assert response.status_code == 200, (address, response.status_code)
    next(iter(response))
    took = time.perf_counter() - begun
    response.close()
    return took


def columns_alone(published: RatingList) -> None:
    """What the file has, in its order and as it is stored, as CSV: COPY, or driver and writer alone."""
    lines = f"SELECT {COLUMNS} FROM ratings_ratinglistentry WHERE rating_list_id = {published.pk} ORDER BY id"
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY ({lines}) TO STDOUT (FORMAT CSV)") as copy:
                for line in copy:
                    len(line)
            return
        cursor.execute(lines)
        target = io.StringIO()
        while rows := cursor.fetchmany(5_000):
            csv.writer(target).writerows(rows)
            target.truncate(target.seek(0))


def file_of(published: RatingList) -> int:
    """The length of the file."""
    file = published_list_file(published, published.entries)
    return sum(map(len, LIST_FORMATS["csv"].pieces(file)))


def main() -> Iterator[Row]:
    """A row for each job."""
    name, rows = sys.argv[1], int(sys.argv[2])
    published, took = publishing()
    alone = lines_alone(published)
    yield Row(
        f"publish a list of {rows:,} members, {name}",
        f"{took:.1f} s",
        f"{alone:.1f} s, its lines by INSERT … SELECT",
        (at_most(took / alone, 3),),
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    limit, own = zip(
        *(
            (seconds(lambda: columns_alone(published)), seconds(lambda: file_of(published)))
            for _ in range(TURNS)
        ),
        strict=True,
    )
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    yield Row(
        f"CSV of a list of {rows:,} members, {name}",
        f"{rows / min(own):,.0f} rows/s, {memory} MB more",
        f"{rows / min(limit):,.0f} rows/s, the bare columns",
        (at_least(min(limit) / min(own), 0.4),),
    )
    settings.ROOT_URLCONF = __name__
    # Made anew for each address: the same one would be kept.
    hello, live, past = (
        min(answered(f"{address}&n={turn}") for turn in range(10 * TURNS))
        for address in ("/hello/?", "/ratings/blitz/?", f"/ratings/blitz/?as_of={AS_OF}")
    )
    yield Row(
        f"page of a list as of a moment, {rows:,} members, {name}",
        f"{1000 * past:.0f} ms",
        f"{1000 * hello:.2f} ms, “hello”; {1000 * live:.0f} ms, the live list",
        (at_most(past / hello, 100), at_most(past, 0.5, "s")),
    )
    entries = PublishedListView()
    entries.published = published
    middle = published.entries.values_list("pk", flat=True)[rows // 2]
    yield page_row("published list", entries.get_queryset(), middle, rows, name)


if __name__ == "__main__":
    cache.clear()
    for row in main():
        row.send()
