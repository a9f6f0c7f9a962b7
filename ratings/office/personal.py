"""Personal data: the names of a person, tables to export, and what an erasure does to texts."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models import Q
from django.db.models.functions import Cast

from foa.said import capital, plain
from ratings.office.effects import Fact
from ratings.office.forms import value_text

AT_ONCE: Final = 500
"""Maximum number of rows read and written at once."""

REMOVED: Final = "removed: the member has left"
"""Text that replaces one about a member who has left. Like all stored text, it is in English."""

_SHORTEST_WORD: Final = 3
_SHORTEST_NUMBER: Final = 5
"""Minimum number of digits for a FIDE ID. A shorter one couldn't be told from other numbers in a text."""


class Called:
    """The present and former names of a person, and the text that replaces them once they have left.

    ``usernames`` match exactly, ``names`` in any case, both as whole words. Single words of a name could mean
    somebody else, so they are only replaced in texts that name the person.
    """

    def __init__(
        self, *, usernames: Iterable[str], names: Iterable[str], numbers: Iterable[int], instead: str
    ) -> None:
        self.instead = instead
        told = _as_stored(name for name in names if name)
        exact = _as_stored(usernames)
        exact |= {str(number) for number in numbers if number >= 10 ** (_SHORTEST_NUMBER - 1)}
        words = {word for name in names for word in re.findall(r"\w+", name) if len(word) >= _SHORTEST_WORD}
        self.all = sorted(told | exact)
        self._whole = _words([_any_of(exact), f"(?i:{_any_of(told)})" if told else ""])
        self._parts = _words([f"(?i:{_any_of(_as_stored(words))})" if words else ""])

    def is_in(self, text: str) -> bool:
        """Return True if a text names the person."""
        return self._whole.search(text) is not None

    def out_of(self, text: str) -> str:
        """Remove the person from a text. If it names them, remove parts of their name as well."""
        if not self.is_in(text):
            return text
        return self._parts.sub(self.instead, self._whole.sub(self.instead, text))

    def out_of_json(self, value: Any) -> Any:
        """Remove the person from every text in a JSON value. Keys stay: they are the code's."""
        if isinstance(value, str):
            return self._whole.sub(self.instead, value)
        if isinstance(value, list):
            return [self.out_of_json(one) for one in value]
        if isinstance(value, dict):
            return {key: self.out_of_json(one) for key, one in value.items()}
        return value

    def match(self, model: type[models.Model], fields: Collection[str]) -> Any:
        """Return the rows of a model that may name the person in one of these columns."""
        rows = model._base_manager.all()
        found = Q()
        for name in fields:
            column = name
            if isinstance(model._meta.get_field(name), models.JSONField):
                column = f"{name}_as_text"
                rows = rows.annotate(**{column: Cast(name, models.TextField())})
            for one in self.all:
                found |= Q(**{f"{column}__icontains": one})
        return rows.filter(found).order_by("pk")


@dataclass(frozen=True, slots=True)
class Person:
    """A member with the accounts that were merged into them, and their logins. The member comes first."""

    accounts: list[Any]
    logins: list[Any]
    called: Called

    @property
    def member(self) -> Any:
        return self.accounts[0]

    @property
    def keys(self) -> list[int]:
        """Return the keys of all accounts."""
        return [one.pk for one in self.accounts]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an export: rows of text, whole numbers and None, generated while they are sent.

    ``for_staff``: written by staff for each other. Members who export their own data don't get it.
    """

    name: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[Any, ...]]
    for_staff: bool = False


@dataclass(slots=True, kw_only=True)
class Erasing:
    """A person being erased. ``facts``: what is done; they are kept, so they name nobody.

    ``by`` and ``note`` are for the histories.
    """

    person: Person
    at: datetime
    by: Any = None
    note: str = ""
    facts: list[Fact] = field(default_factory=list)

    def tell(self, what: str, number: int, label: Any) -> None:
        """Report how many rows lose the person, if any. ``what`` is the same in every language."""
        if number:
            self.facts.append(Fact("inputs", what, capital(plain("%s") % label), after=str(number)))

    def tell_rows(self, model: type[models.Model], number: int) -> None:
        """Report how many rows of a model lose the person."""
        self.tell(model._meta.label, number, model._meta.verbose_name_plural)


def values(rows: Any, columns: Collection[str]) -> Iterator[tuple[Any, ...]]:
    """Yield rows for an export, with moments, months and numbers as files have them."""
    for row in rows.values_list(*columns).iterator(AT_ONCE):
        yield tuple(one if isinstance(one, int) and not isinstance(one, bool) else _text(one) for one in row)


def table(name: str, rows: Any, columns: Collection[str], *, for_staff: bool = False) -> Table:
    """Make a table of a queryset. The column “game__id” of related rows is called “game_id”.

    A column of codes, such as categories, is followed by one with their words, such as “category_in_words”.
    """
    headings, words = [], []
    for column in columns:
        headings.append(column.replace("__", "_"))
        words.append(_words_of_codes(rows.model, column))
        if words[-1]:
            headings.append(f"{headings[-1]}_in_words")
    return Table(name, tuple(headings), _with_words(values(rows, columns), words), for_staff)


def _with_words(rows: Iterable[tuple[Any, ...]], words: list[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        cells: list[Any] = []
        for value, meanings in zip(row, words, strict=True):
            cells.append(value)
            if meanings:
                cells.append(None if value is None else str(meanings.get(str(value), "")))
        yield tuple(cells)


def _words_of_codes(model: type[models.Model], column: str) -> Mapping[str, Any]:
    """Return the meanings of a column's values, or nothing if the values are words already."""
    *related, name = column.split("__")
    for one in related:
        model = model._meta.get_field(one).related_model  # type: ignore[assignment]  # of a relation
    try:
        choices = getattr(model._meta.get_field(name), "flatchoices", ())
    except FieldDoesNotExist:
        return {}
    meanings = {str(value): label for value, label in choices}
    return meanings if any(value != str(label) for value, label in meanings.items()) else {}


def rewrite(row: Any, called: Called, columns: Collection[str]) -> bool:
    """Remove a person from these columns of a row; True if they were named. No signal is sent."""
    changed = {}
    for name in columns:
        was = getattr(row, name)
        if was in (None, ""):
            continue
        now = called.out_of(was) if isinstance(was, str) else called.out_of_json(was)
        if now != was:
            changed[name] = fitting(row, name, now)
    if changed:
        type(row)._base_manager.filter(pk=row.pk).update(**changed)
    return bool(changed)


def fitting(row: Any, name: str, value: Any) -> Any:
    """Shorten a text to the maximum length of its column."""
    most = row._meta.get_field(name).max_length
    return value[:most] if most and isinstance(value, str) else value


def _as_stored(words: Iterable[str]) -> set[str]:
    """Return words as people write them, and as JSON escapes them in ASCII."""
    return {form for word in words for form in (word, json.dumps(word)[1:-1])}


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern that matches any of these, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _words(patterns: Iterable[str]) -> re.Pattern[str]:
    """Compile a pattern that matches any of these as a whole word."""
    some = "|".join(pattern for pattern in patterns if pattern)
    return re.compile(rf"(?<![\w-])(?:{some})(?![\w-])" if some else r"(?!)")


def _text(value: Any) -> str | None:
    return None if value is None else value_text(value)
