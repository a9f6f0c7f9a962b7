"""Many rows at once: COPY on PostgreSQL, prepared statements elsewhere.

Rows are tuples in the order of the columns named; values are what the database stores (hundredths, ids).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateTimeField, Model

__all__ = ["Row", "delete_rows", "insert_rows", "upsert_rows", "without_indexes"]

Row = tuple[Any, ...]

_FEW = 20
"""Up to here one INSERT with several VALUES is the quickest on every database."""

_REMEMBERED = 1_000


def _names(connection: BaseDatabaseWrapper, model: type[Model], columns: Sequence[str]) -> tuple[str, str]:
    quote = connection.ops.quote_name
    return quote(model._meta.db_table), ", ".join(quote(column) for column in columns)


def _placeholders(columns: Sequence[object], rows: int = 1) -> str:
    return ", ".join([f"({', '.join(['%s'] * len(columns))})"] * rows)


def _adapted(
    connection: BaseDatabaseWrapper, model: type[Model], columns: Sequence[str], rows: Iterable[Row]
) -> Iterable[Row]:
    """The rows with moments as the ORM stores them: SQLite keeps text, in UTC and without saying so."""
    if connection.vendor == "postgresql":
        return rows
    fields = {field.column: field for field in model._meta.concrete_fields}
    moments = [index for index, column in enumerate(columns) if isinstance(fields[column], DateTimeField)]
    return _with_text_moments(rows, moments) if moments else rows


def _with_text_moments(rows: Iterable[Row], moments: list[int]) -> Iterator[Row]:
    # Neighbouring rows mostly share their moments, the two of a game always.
    texts: dict[datetime | None, str | None] = {None: None}
    for row in rows:
        adapted = list(row)
        for index in moments:
            moment = row[index]
            text = texts.get(moment, "")
            if text == "":
                if len(texts) > _REMEMBERED:
                    texts = {None: None}
                text = texts[moment] = str(moment.astimezone(UTC).replace(tzinfo=None))
            adapted[index] = text
        yield tuple(adapted)


def insert_rows(
    connection: BaseDatabaseWrapper, model: type[Model], columns: Sequence[str], rows: Iterable[Row]
) -> None:
    """Insert rows that are known to be new."""
    table, names = _names(connection, model, columns)
    rows = _adapted(connection, model, columns, rows)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.executemany(
                f"INSERT INTO {table} ({names}) VALUES {_placeholders(columns)}",  # noqa: S608  names, not values
                rows,  # type: ignore[arg-type]  # a generator is taken row by row
            )


def upsert_rows(
    connection: BaseDatabaseWrapper, model: type[Model], columns: Sequence[str], rows: Sequence[Row]
) -> None:
    """Insert rows by their id, or overwrite the row of that id. The first column is the id."""
    if not rows:
        return
    rows = list(_adapted(connection, model, columns, rows))
    table, names = _names(connection, model, columns)
    quote = connection.ops.quote_name
    id_name, *others = (quote(column) for column in columns)
    insert = f"INSERT INTO {table} ({names})"
    conflict = f"ON CONFLICT ({id_name}) DO UPDATE SET " + ", ".join(f"{o} = EXCLUDED.{o}" for o in others)
    with connection.cursor() as cursor:
        if len(rows) <= _FEW:
            cursor.execute(
                f"{insert} VALUES {_placeholders(columns, len(rows))} {conflict}", list(chain(*rows))
            )
        elif connection.vendor == "postgresql":
            staged = quote(f"staged_{model._meta.db_table}")
            cursor.execute(
                f"CREATE TEMPORARY TABLE IF NOT EXISTS {staged} (LIKE {table}) ON COMMIT DROP;"
                f"TRUNCATE {staged}"
            )
            with cursor.copy(f"COPY {staged} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            cursor.execute(f"{insert} SELECT {names} FROM {staged} {conflict}")  # noqa: S608
        else:
            cursor.executemany(f"{insert} VALUES {_placeholders(columns)} {conflict}", rows)


def delete_rows(connection: BaseDatabaseWrapper, model: type[Model], ids: Sequence[int]) -> None:
    """Delete rows by id, without a collector: nothing may hang on them."""
    table, _ = _names(connection, model, ())
    with connection.cursor() as cursor:
        for start in range(0, len(ids), 900):
            some = ids[start : start + 900]
            cursor.execute(f"DELETE FROM {table} WHERE id IN {_placeholders(some)}", some)  # noqa: S608


@contextmanager
def without_indexes(connection: BaseDatabaseWrapper, model: type[Model]) -> Iterator[None]:
    """Take indexes and foreign keys off an empty table and make them anew, all within the transaction.

    A large table is filled several times faster so. What stands in the catalogue is put back as it was.
    """
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
                " WHERE conrelid = %s::regclass AND contype = 'f' ORDER BY conname",
                [table],
            )
            foreign_keys = cursor.fetchall()
            cursor.execute(
                "SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i"
                " WHERE i.indrelid = %s::regclass AND NOT EXISTS"
                " (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid) ORDER BY 1",
                [table],
            )
        else:
            foreign_keys = []
            cursor.execute(
                "SELECT name, sql FROM sqlite_master"
                " WHERE type = 'index' AND tbl_name = %s AND sql IS NOT NULL ORDER BY name",
                [table],
            )
        indexes = cursor.fetchall()
        quote = connection.ops.quote_name
        for name, _ in foreign_keys:
            cursor.execute(f"ALTER TABLE {quote(table)} DROP CONSTRAINT {quote(name)}")
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name if name.startswith(chr(34)) else quote(name)}")
    yield
    with connection.cursor() as cursor:
        for _, definition in indexes:
            cursor.execute(definition)
        for name, definition in foreign_keys:
            cursor.execute(f"ALTER TABLE {quote(table)} ADD CONSTRAINT {quote(name)} {definition}")
