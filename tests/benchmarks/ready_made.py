"""The limit of an import: its games and ledger rows ready-made, into tables with the same indexes.

A quarter of them stands for all. Into larger tables a row takes rather longer, so the limit is a strict one.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from typing import IO, Any

import django

django.setup()

from django.db import connection, transaction  # noqa: E402

from ratings.rbb.models import Game, RatingChange  # noqa: E402

_AT_ONCE = 10_000
_PART = 4


def copied(table: str, number: int, file: IO[bytes]) -> float:
    """Seconds of a COPY of so many rows into a table like theirs, the database's own binary rows."""
    with connection.cursor() as cursor:
        some = f"(SELECT * FROM {table} LIMIT {number})"
        with cursor.copy(f"COPY {some} TO STDOUT (FORMAT BINARY)") as copy:
            file.writelines(copy)
        cursor.execute(f"CREATE TABLE bench_{table} (LIKE {table} INCLUDING ALL)")
        file.seek(0)
        begun = time.perf_counter()
        with transaction.atomic(), cursor.copy(f"COPY bench_{table} FROM STDIN (FORMAT BINARY)") as copy:
            while block := file.read(1 << 20):
                copy.write(block)
        return time.perf_counter() - begun


def executed(table: str, number: int, file: IO[bytes]) -> float:
    """Seconds of executemany() of so many rows into a table like theirs."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE tbl_name = %s AND sql IS NOT NULL", [table])
        for (definition,) in cursor.fetchall():
            cursor.execute(
                definition.replace(f'"{table}"', f'"bench_{table}"').replace('INDEX "', 'INDEX "bench_')
            )
        cursor.execute(f"SELECT * FROM {table} LIMIT 0")
        width = len(cursor.description)
        # The driver's own rows: text stays text.
        raw: Any = connection.connection
        parts = 0
        rows = raw.execute(f"SELECT {columns(table)} FROM {table} LIMIT {number}")
        while some := rows.fetchmany(_AT_ONCE):
            pickle.dump(some, file)
            parts += 1
        file.seek(0)
        insert = f"INSERT INTO bench_{table} VALUES ({', '.join(['%s'] * width)})"
        seconds = 0.0
        with transaction.atomic():
            for _ in range(parts):
                some = pickle.load(file)
                begun = time.perf_counter()
                cursor.executemany(insert, some)
                seconds += time.perf_counter() - begun
            begun = time.perf_counter()
        return seconds + time.perf_counter() - begun


def columns(table: str) -> str:
    """All columns; an expression comes as it is stored, not as a datetime."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT name, type FROM pragma_table_info('{table}')")
        return ", ".join(
            f"CAST({name} AS text)" if kind == "datetime" else name for name, kind in cursor.fetchall()
        )


if __name__ == "__main__":
    seconds = 0.0
    for model in (Game, RatingChange):
        table, number = model._meta.db_table, model._base_manager.count() // _PART
        with tempfile.TemporaryFile() as file:
            seconds += (copied if connection.vendor == "postgresql" else executed)(table, number, file)
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE bench_{table}")
    print(_PART * seconds)
