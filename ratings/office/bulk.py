"""Reading and writing many rows at once: COPY on PostgreSQL, prepared statements on SQLite.

Rows are tuples in the order of the columns named. Values are those that the database stores: hundredths, ids,
and moments as :func:`as_stored` gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from typing import Any, Final, TypeVar

from django.db import connection, connections
from django.db.models import DateTimeField, Model, QuerySet, TextField
from django.db.models.functions import Cast

_AT_ONCE = 2_000
_READ_AT_ONCE: Final = 10_000

Row = tuple[Any, ...]

Key = TypeVar("Key", int, str)
T = TypeVar("T")

Moment = datetime | str
"""A moment as the database stores it."""

_TO_SORT = -8192
"""Page cache of SQLite while it sorts on disk: KiB, negative as SQLite expects."""

_FEW = 20
"""Maximum number of rows for which one INSERT with several VALUES is fastest, on every database."""


def _quoted(name: str) -> str:
    return f'"{name}"'


def _names(model: type[Model], columns: Sequence[str]) -> tuple[str, str]:
    return _quoted(model._meta.db_table), ", ".join(map(_quoted, columns))


def _placeholders(columns: Sequence[object], rows: int = 1) -> str:
    return ", ".join([f"({', '.join(['%s'] * len(columns))})"] * rows)


def as_stored(moment: datetime) -> Moment:
    """Convert a moment to what the database stores: on SQLite, text in UTC without an offset."""
    if connection.vendor == "postgresql":
        return moment
    return str(moment.astimezone(UTC).replace(tzinfo=None))


def as_moment(stored: Moment) -> datetime:
    """Convert a stored moment to a datetime in UTC."""
    return stored if isinstance(stored, datetime) else datetime.fromisoformat(stored).replace(tzinfo=UTC)


def batches(values: Sequence[T], at_once: int = _AT_ONCE) -> Iterator[Sequence[T]]:
    """Split values into batches, by default as large as one statement allows."""
    for start in range(0, len(values), at_once):
        yield values[start : start + at_once]


def fetch_rows(
    model: type[Model],
    columns: Sequence[str],
    ids: Sequence[Key],
    by: str = "id",
    *,
    lower: bool = False,
    waiting: str = "",
) -> list[Row]:
    """Return the stored rows whose column ``by`` has one of these ids.

    ``lower``: the ids are in lower case, and the column is compared in lower case too. ``waiting``: locks to
    take before, in the same round trip.
    """
    rows: list[Row] = []
    with connection.cursor() as cursor:
        for some in batches(ids):
            selection = _selection(model, tuple(columns), f"LOWER({_quoted(by)})" if lower else _quoted(by))
            if connection.vendor == "postgresql":
                # Send the ids as one parameter: the driver is slow with thousands of placeholders.
                cursor.execute(f"{waiting}{selection} = ANY(%s)", [list(some)])
                if waiting:
                    cursor.nextset()
                    waiting = ""
            else:
                cursor.execute(f"{selection} IN {_placeholders(some)}", some)
            rows += _with_moments(model, columns, cursor.fetchall())
    return rows


def stored_rows(queryset: QuerySet[Any], columns: Sequence[Any], *, streamed: bool = False) -> Iterator[Row]:
    """Yield the rows of a queryset as stored, without Django's converters, which cost more than the driver.

    ``columns``: names and expressions. ``streamed``: don't hold all rows in memory at once.
    """
    model: type[Model] = queryset.model
    moments = _moments(model)
    read = queryset.values_list(
        *(Cast(column, TextField()) if column in moments else column for column in columns)
    )
    # Like QuerySet.iterator(): a connection pool may not support server-side cursors.
    chunked = streamed and not connections[queryset.db].settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
    compiler = read.query.get_compiler(queryset.db)
    for rows in compiler.execute_sql(chunked_fetch=chunked, chunk_size=_READ_AT_ONCE):
        yield from _with_moments(model, columns, rows)


@lru_cache(maxsize=32)
def _moments(model: type[Model]) -> frozenset[str | None]:
    fields = model._meta.concrete_fields
    return frozenset(field.column for field in fields if isinstance(field, DateTimeField))


def parser() -> Callable[[str], Moment]:
    """Return a function from the text of a moment to what the database stores; on SQLite, that is the text.

    On PostgreSQL this takes a seventh of the time of Django's loader.
    """
    return datetime.fromisoformat if connection.vendor == "postgresql" else str


def _with_moments(model: type[Model], columns: Sequence[Any], rows: Iterable[Row]) -> Iterable[Row]:
    """Return rows in which moments, read as text, are converted to what the database stores."""
    if connection.vendor == "postgresql":
        parse = parser()
        for at in (number for number, column in enumerate(columns) if column in _moments(model)):
            rows = [(*row[:at], row[at] and parse(row[at]), *row[at + 1 :]) for row in rows]
    return rows


@lru_cache(maxsize=32)
def _selection(model: type[Model], columns: tuple[str, ...], by: str) -> str:
    moments = _moments(model)
    selected = ", ".join(
        f"CAST({_quoted(column)} AS text)" if column in moments else _quoted(column) for column in columns
    )
    return f"SELECT {selected} FROM {_quoted(model._meta.db_table)} WHERE {by}"  # noqa: S608


@lru_cache(maxsize=32)
def _insertion(model: type[Model], columns: tuple[str, ...], kept: int) -> tuple[str, str]:
    """Return both ends of an upsert by id that keeps the first ``kept`` columns of an existing row."""
    table, names = _names(model, columns)
    changing = ", ".join(f"{name} = EXCLUDED.{name}" for name in map(_quoted, columns[kept:]))
    return f"INSERT INTO {table} ({names})", f"ON CONFLICT ({_quoted(columns[0])}) DO UPDATE SET {changing}"


def _copy(
    cursor: Any,
    model: type[Model],
    columns: Sequence[str],
    table: str,
    rows: Iterable[Row],
) -> None:
    """Run a binary COPY. It takes half the time of a text one, but needs the type of each column."""
    types = {field.column: field.db_type(connection) or "" for field in model._meta.concrete_fields}
    _, names = _names(model, columns)
    statement = f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"
    # Inside the copy, the driver raises its own errors unless they are wrapped.
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        # Drop the length: the type of varchar(200) is varchar.
        copy.set_types([types[column].partition("(")[0] for column in columns])
        for row in rows:
            copy.write_row(row)


def insert_rows(model: type[Model], columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Insert rows that are known to be new."""
    table, names = _names(model, columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, model, columns, table, rows)
        else:
            cursor.executemany(
                f"INSERT INTO {table} ({names}) VALUES {_placeholders(columns)}",  # noqa: S608  names, not values
                rows,  # type: ignore[arg-type]  # a generator is taken row by row
            )


def upsert_rows(
    model: type[Model],
    columns: Sequence[str],
    rows: Sequence[Row],
    *,
    kept: int = 1,
) -> None:
    """Insert rows, or overwrite the rows with the same id. The first column is the id.

    ``kept``: number of leading columns, id included, that are the same in a row that exists. They aren't set,
    because SQLite rewrites the index of every column that is set, even to the same value.
    """
    if not rows:
        return
    insert, conflict = _insertion(model, tuple(columns), kept)
    with connection.cursor() as cursor:
        if len(rows) <= _FEW:
            cursor.execute(
                f"{insert} VALUES {_placeholders(columns, len(rows))} {conflict}", list(chain(*rows))
            )
        elif connection.vendor == "postgresql":
            table, names = _names(model, columns)
            staged = _quoted(f"staged_{model._meta.db_table}")
            cursor.execute(
                f"CREATE TEMPORARY TABLE IF NOT EXISTS {staged} (LIKE {table}) ON COMMIT DROP;"
                f"TRUNCATE {staged}"
            )
            _copy(cursor, model, columns, staged, rows)
            cursor.execute(f"{insert} SELECT {names} FROM {staged} {conflict}")  # noqa: S608
        else:
            cursor.executemany(f"{insert} VALUES {_placeholders(columns)} {conflict}", rows)


def delete_rows(model: type[Model], ids: Sequence[int]) -> None:
    """Delete rows by id, without Django's collector: no other row may refer to them."""
    table, _ = _names(model, ())
    with connection.cursor() as cursor:
        for some in batches(ids):
            cursor.execute(f"DELETE FROM {table} WHERE id IN {_placeholders(some)}", some)  # noqa: S608


def prepared(statement: str, types: Sequence[str]) -> str:
    """Return the statement to execute, prepared on PostgreSQL so that a session plans it only once.

    ``types``: those of the parameters. The plan must not depend on their values. All statements prepared in
    this transaction get such a generic plan.
    """
    if connection.vendor != "postgresql":
        return statement  # sqlite3 caches its last statements
    name = f"prepared_{sha256(statement.encode()).hexdigest()[:16]}"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('plan_cache_mode', 'force_generic_plan', TRUE),"
            " EXISTS (SELECT FROM pg_prepared_statements WHERE name = %s)",
            [name],
        )
        (_mode, is_there) = cursor.fetchone()
        if not is_there:
            numbered = statement % tuple(f"${number}" for number in range(1, len(types) + 1))
            cursor.execute(f"PREPARE {name} ({', '.join(types)}) AS {numbered}")
    return f"EXECUTE {name} {_placeholders(types)}"


@contextmanager
def sorting_on_disk() -> Iterator[None]:
    """Limit the memory that SQLite uses for sorting, which may otherwise fill its page cache."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA cache_size")
        (usual,) = cursor.fetchone()
        cursor.execute(f"PRAGMA cache_size = {_TO_SORT}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA cache_size = {int(usual)}")


@contextmanager
def without_indexes(model: type[Model], *, primary_key: bool = False) -> Iterator[None]:
    """Drop the indexes of an empty table and recreate them at the end, within one transaction.

    This makes filling a large table several times faster. The definitions come from the catalogue and are
    restored unchanged. Indexes of unique columns stay. ``primary_key`` drops the primary key too; no foreign
    key may refer to the table. On SQLite the key stays, because it is the table itself. Duplicate keys raise
    IntegrityError at the end.
    """
    table = _quoted(model._meta.db_table)
    on_postgresql = connection.vendor == "postgresql"
    catalogue = (
        "SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i"
        " WHERE i.indrelid = %s::regclass AND NOT i.indisprimary"
        " AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid) ORDER BY 1"
        if on_postgresql
        else "SELECT name, sql FROM sqlite_master"
        " WHERE type = 'index' AND tbl_name = %s AND sql IS NOT NULL ORDER BY name"
    )
    with connection.cursor() as cursor:
        cursor.execute(catalogue, [model._meta.db_table])
        made_anew = []
        for name, definition in cursor.fetchall():
            cursor.execute(f"DROP INDEX {name}")
            made_anew.append(definition)
        if primary_key and on_postgresql:
            cursor.execute(
                "SELECT quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint"
                " WHERE conrelid = %s::regclass AND contype = 'p'",
                [model._meta.db_table],
            )
            ((name, definition),) = cursor.fetchall()
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
            made_anew.insert(0, f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
    yield
    with sorting_on_disk(), connection.cursor() as cursor:
        for definition in made_anew:
            cursor.execute(definition)
