"""Rows of a list, declared once for its files, for the API and for the API's schema.

A list is a ``ListRows``: its columns by name, in their order. A column says what it reads in the database and
what it makes of that. Its kind, and whether it may be null, are for the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from operator import itemgetter
from typing import Any, Final, TypeAlias

from django.db.models import Expression, QuerySet

from foa.spreadsheet import Cell
from foa.text import utc_text

_AT_ONCE: Final = 5_000
"""Number of rows that are fetched together."""

Read: TypeAlias = str | Expression
"""Path of a value as in ``values_list()``, or an expression."""


class Kind(Enum):
    """Type of a column in the API."""

    TEXT = "text"
    WHOLE = "whole number"
    EXACT = "exact number"
    MOMENT = "moment"
    DAY = "day"
    MONTH = "month"
    YES_OR_NO = "yes or no"


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a list: make it with one of the functions below.

    ``read``: what the database is asked for; without any, the column's name. ``value``: makes the cell of
    what was read; a single value that is null stays null. ``choices``: words that a text may be.
    ``null``, ``blank``: it may be. ``added_later``: rows that were frozen before may be without it.
    """

    kind: Kind
    read: tuple[Read, ...]
    value: Callable[..., Cell] | None = None
    null: bool = False
    blank: bool = False
    added_later: bool = False
    choices: Sequence[str] = ()
    help: str = ""


def text(*read: Read, **options: Any) -> Column:
    """Return a column of texts."""
    return Column(Kind.TEXT, read, **options)


def whole(*read: Read, **options: Any) -> Column:
    """Return a column of whole numbers."""
    return Column(Kind.WHOLE, read, **options)


def exact(*read: Read, **options: Any) -> Column:
    """Return a column of ratings, changes or points with two decimals."""
    return Column(Kind.EXACT, read, **options)


def yes_or_no(*read: Read, **options: Any) -> Column:
    """Return a column of booleans."""
    return Column(Kind.YES_OR_NO, read, **options)


def moment(*read: Read, **options: Any) -> Column:
    """Return a column of moments in UTC, to the second."""
    return Column(Kind.MOMENT, read, value=utc_text, **options)


def day(*read: Read, **options: Any) -> Column:
    """Return a column of days, ISO 8601."""
    return Column(Kind.DAY, read, value=date.isoformat, **options)


def month(*read: Read, **options: Any) -> Column:
    """Return a column of months, such as 2026-11."""
    return Column(Kind.MONTH, read, value="{:%Y-%m}".format, **options)


class ListRows:
    """The rows of a list. ``about``: a sentence about one of them, for the schema.

    ``prepare``: adds what columns read to the queryset, such as annotations.
    """

    def __init__(
        self,
        about: str,
        prepare: Callable[[QuerySet[Any]], QuerySet[Any]] = QuerySet.all,
        /,
        **columns: Column,
    ) -> None:
        self.about = about
        self.prepare = prepare
        self.columns = columns
        self.names: tuple[str, ...] = tuple(columns)
        reads = {name: column.read or (name,) for name, column in columns.items()}
        self._read = list(dict.fromkeys(path for paths in reads.values() for path in paths))
        places = {name: [self._read.index(path) for path in paths] for name, paths in reads.items()}
        self._pick = itemgetter(*(place[0] for place in places.values()))
        self._of_one: list[tuple[int, Callable[..., Cell]]] = []
        self._of_several: list[tuple[int, Callable[..., Cell], itemgetter[Any]]] = []
        for number, (name, column) in enumerate(columns.items()):
            if column.value is not None and len(reads[name]) == 1:
                self._of_one.append((number, column.value))
            elif column.value is not None:
                self._of_several.append((number, column.value, itemgetter(*places[name])))

    def of(self, queryset: QuerySet[Any]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a queryset, in its order, each with the cells of the columns; streamed."""
        read = self.prepare(queryset).prefetch_related(None).values_list(*self._read)
        are_made = self._of_one or self._of_several
        return map(self._row if are_made else self._pick, read.iterator(_AT_ONCE))

    def _row(self, line: Sequence[Any]) -> tuple[Any, ...]:
        cells = list(self._pick(line))
        for number, value in self._of_one:
            if cells[number] is not None:
                cells[number] = value(cells[number])
        for number, value, pick in self._of_several:
            cells[number] = value(*pick(line))
        return tuple(cells)
