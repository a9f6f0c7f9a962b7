"""A published list as CSV at the speed of the database: it makes the cells, so nothing is done row by row.

These are the bytes behind a list's checksum, so they are the same on every database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, Final

from django.db import connections, transaction
from django.db.models import BooleanField, Case, CharField, F, Func, IntegerField, QuerySet, Value, When
from django.db.models.functions import Concat, NullIf, Replace
from django.db.models.lookups import GreaterThanOrEqual, In, LessThanOrEqual

from foa.spreadsheet import FORMULA
from ratings.models.lists import RatingListEntry
from ratings.office.fields import hundredths

_LINES_AT_ONCE: Final = 5_000
_WITHOUT_END: Final = itemgetter(slice(-1))


class _FirstCharacter(Func):
    """Its number in Unicode: twice as quickly compared as the character itself."""

    function = "ASCII"
    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="UNICODE", **context)


def _text(column: str, usual: Any) -> Any:
    """Safe in a spreadsheet, as ``csv_cell`` makes it; ``usual``: what a text is that is harmless."""
    first, risky = _FirstCharacter(column), sorted(map(ord, FORMULA))
    # Nearly all letters are between the signs of ASCII and the wide ones, so most texts are compared twice.
    is_outside = LessThanOrEqual(first, ord("@")) | GreaterThanOrEqual(first, ord("＋"))
    is_risky = is_outside & In(first, risky)
    return Case(When(is_risky, then=Concat(Value("'"), F(column))), default=usual)


def _or_nothing(column: str) -> Any:
    """COPY writes an empty text as two quotation marks."""
    return NullIf(F(column), Value(""))


class _Glob(Func):
    """Whether a text matches a pattern of SQLite."""

    template = "%(expressions)s"
    arg_joiner = " GLOB "
    output_field = BooleanField()


class _Line(Func):
    """The cells of a line with commas between them: one text to hand over, not twenty values. SQLite only."""

    # It writes nothing where there is nothing. To join the cells one by one takes twice as long.
    function = "printf"
    output_field = CharField()


def _quoted(column: str) -> Any:
    """RFC 4180, as Python's writer quotes it."""
    text = _text(column, F(column))
    quoted = Concat(Value('"'), Replace(text, Value('"'), Value('""')), Value('"'))
    return Case(When(_Glob(F(column), Value('*[",\r\n]*')), then=quoted), default=text)


class _Points(Func):
    """Whole hundredths as points with two decimals, such as -0.60."""

    # Most changes are 0 and need no calculation. A numeric of PostgreSQL has the decimals of its factors.
    template = "CASE %(expressions)s WHEN 0 THEN 0.00 ELSE %(expressions)s * 0.01 END"
    output_field = CharField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        # printf writes a number where there is none. With 15 digits its rounding gives back the hundredths.
        template = (
            "CASE WHEN %(expressions)s = 0 THEN '0.00'"
            " WHEN %(expressions)s IS NOT NULL THEN printf('%%%%.2f', %(expressions)s / 100.0) END"
        )
        return self.as_sql(compiler, connection, template=template, **context)


def _displayed(column: str) -> Any:
    """RBB 3.12, 3.13: rounded half up; a rating is never negative."""
    return (hundredths(column) + 50) / 100


_CELLS: Final = {
    "rank": F("rank"),
    "username": _text("username", _or_nothing("username")),
    "fide_id": F("fide_id"),
    "name": _text("name", _or_nothing("name")),
    "title": _or_nothing("title"),
    "federation": _or_nothing("federation"),
    "rating": _displayed("rating"),
    "games": F("games"),
    "previous": _displayed("previous"),
    "change": _displayed("rating") - _displayed("previous"),
    "period_games": F("period_games"),
    "k": F("k"),
    "late_games": F("late_games"),
    "withdrawn_games": F("withdrawn_games"),
    "exact_change": _Points(hundredths("rating") - hundredths("previous")),
    **{
        column: _Points(hundredths(column))
        for column in ("games_change", "adjustments_change", "openings_change", "earlier_change")
    },
}

_TEXTS: Final = frozenset({"username", "name", "title", "federation"})


def published_csv(entries: QuerySet[RatingListEntry], columns: Sequence[str]) -> Iterator[bytes]:
    """These lines of a published list in its columns: UTF-8, header line, RFC 4180; streamed."""
    if connections[entries.db].vendor == "postgresql":
        return _copied(entries.values_list(*(_CELLS[column] for column in columns)), columns)
    return _joined(entries, columns)


def _joined(entries: QuerySet[RatingListEntry], columns: Sequence[str]) -> Iterator[bytes]:
    cells = (_quoted(column) if column in _TEXTS else _CELLS[column] for column in columns)
    line = _Line(Value(",".join("%s" for _ in columns)), *cells)
    lines = entries.values_list(line, flat=True).iterator(_LINES_AT_ONCE)
    yield ",".join(columns).encode() + b"\r\n"
    while piece := list(islice(lines, _LINES_AT_ONCE)):
        yield "\r\n".join((*piece, "")).encode()


def _copied(cells: QuerySet[Any], columns: Sequence[str]) -> Iterator[bytes]:
    """By COPY, which ends its lines with a line feed alone; each comes as a message of its own."""
    sql, values = cells.query.sql_with_params()
    yield ",".join(columns).encode() + b"\r\n"
    # One transaction: the list is read in one state.
    # Django's own wrapper of the cursor, where statements are logged, takes no values for COPY.
    with (
        transaction.atomic(using=cells.db),
        connections[cells.db].cursor() as wrapped,
        wrapped.cursor.copy(f"COPY ({sql}) TO STDOUT (FORMAT CSV)", values) as copy,
    ):
        lines = map(_WITHOUT_END, map(bytes, copy))
        while piece := list(islice(lines, _LINES_AT_ONCE)):
            yield b"\r\n".join((*piece, b""))
