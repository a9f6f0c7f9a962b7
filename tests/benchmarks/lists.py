"""Rating lists of a million members: publishing, CSV, the page by position, and the page as visitors get it.

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
from statistics import median
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

from ratings.models import RatingList  # noqa: E402
from ratings.rules.time_controls import Category  # noqa: E402
from ratings.services.lists.csv import published_csv  # noqa: E402
from ratings.services.lists.exports import published_columns  # noqa: E402
from ratings.services.lists.publishing import publish  # noqa: E402
from ratings.views import PublishedListView  # noqa: E402
from tests.benchmarks.pages import page_row  # noqa: E402
from tests.benchmarks.rows import Row, at_least, at_most  # noqa: E402

TURNS = 3
REQUESTS = 1_000
COLUMNS = (
    "rank, username, fide_id, name, title, federation, rating, games, previous, previous, period_games, k"
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


def publishing() -> tuple[RatingList, float]:
    """The second list, which has one before it to compare with."""
    month = datetime(2026, 10, 1, tzinfo=UTC)
    publish(category=Category.BLITZ, month=month, at=month)
    month = datetime(2026, 11, 1, tzinfo=UTC)
    took = seconds(lambda: publish(category=Category.BLITZ, month=month, at=month))
    return RatingList.objects.monthly()[0], took


def columns_alone(published: RatingList) -> None:
    """The columns of the list in its order as they are stored, as CSV: COPY, or driver and writer alone."""
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
    return sum(len(piece) for piece in published_csv(published.entries, published_columns(published)))


def served(address: str) -> float:
    """Requests a second through all middleware, by one process."""
    handler, requests = WSGIHandler(), RequestFactory(headers={"host": "localhost"})

    def answer() -> None:
        response = handler(requests.get(address).environ, lambda *_: None)
        assert response.status_code == 200, response.status_code
        for _ in response:
            pass
        response.close()

    answer()
    return REQUESTS / seconds(lambda: [answer() for _ in range(REQUESTS)] and None)


def main() -> Iterator[Row]:
    """A row for each job."""
    name, rows = sys.argv[1], int(sys.argv[2])
    published, took = publishing()
    target = 6 if name == "PostgreSQL" else 12
    yield Row(
        f"publish a list of {rows:,} members, {name}", f"{took:.1f} s", "", (at_most(took, target, "s"),)
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
        (at_least(min(limit) / min(own), 0.8),),
    )
    entries = PublishedListView()
    entries.published = published
    middle = published.entries.values_list("pk", flat=True)[rows // 2]
    yield page_row("published list", entries.get_queryset(), middle, rows, name)
    settings.ROOT_URLCONF = __name__
    pages = [(served("/hello/"), served(published.get_absolute_url())) for _ in range(TURNS)]
    hello, page = (median(figures) for figures in zip(*pages, strict=True))
    yield Row(
        f"page of a published list, {name}",
        f"{page:,.0f} requests/s",
        f"{hello:,.0f} requests/s, “hello”",
        (at_least(page / hello, 0.5),),
    )


if __name__ == "__main__":
    cache.clear()
    for row in main():
        row.send()
