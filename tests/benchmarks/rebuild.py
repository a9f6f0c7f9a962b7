"""Row 4: rebuild from nothing, beside the writing alone of the same rows into a bare table."""

import resource
import sys
import time

import django

django.setup()

from django.db import connection, transaction  # noqa: E402

from ratings.rbb.ledger.events import LEDGER_COLUMNS  # noqa: E402
from ratings.rbb.ledger.replay import replay  # noqa: E402
from ratings.rbb.models import RatingChange  # noqa: E402
from tests.benchmarks.rows import Row, at_most  # noqa: E402

_SAMPLE = 200_000
_BARE = "bench_bare"


def writing_alone() -> float:
    """Seconds that the database needs for all rows of the ledger without keys, indexes or checks."""
    with connection.cursor() as cursor:
        names = ", ".join(LEDGER_COLUMNS)
        cursor.execute(f"SELECT {names} FROM ratings_ratingchange LIMIT {_SAMPLE}")
        rows = cursor.fetchall()
        if connection.vendor == "sqlite":
            rows = [(*row[:3], str(row[3]), *row[4:]) for row in rows]
        total = RatingChange.objects.count()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {_BARE} AS SELECT {names} FROM ratings_ratingchange LIMIT 0")
        begun = time.perf_counter()
        if connection.vendor == "postgresql":
            types = {field.column: field.db_type(connection) for field in RatingChange._meta.concrete_fields}
            with cursor.copy(f"COPY {_BARE} FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types([types[column] for column in LEDGER_COLUMNS])
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.executemany(
                f"INSERT INTO {_BARE} VALUES ({', '.join(['%s'] * len(LEDGER_COLUMNS))})", rows
            )
        seconds = time.perf_counter() - begun
        cursor.execute(f"DROP TABLE {_BARE}")
    return seconds * total / len(rows)


def rebuild() -> float:
    """Seconds from an empty ledger to the last rating."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM ratings_rating")
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("TRUNCATE ratings_ratingchange CASCADE")
        else:
            cursor.execute("DELETE FROM ratings_ratingchange")
    begun = time.perf_counter()
    replay()
    return time.perf_counter() - begun


if __name__ == "__main__":
    name, games = sys.argv[1], int(sys.argv[2])
    limit = writing_alone()
    seconds = rebuild()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    Row(
        f"rebuild from nothing, {games:,} games, {name}",
        f"{seconds:.1f} s, {memory} MB",
        f"{limit:.1f} s to write its rows into a bare table",
        (at_most(seconds / limit, 2.5), at_most(memory, 600, "MB")),
    ).send()
