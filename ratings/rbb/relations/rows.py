"""Whole rows as JSON, so that rows removed by a merge can be restored exactly."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, models
from django.db.models.deletion import Collector

from foa.history import name_author

Row = tuple[str, dict[str, str | None]]
"""A model's label, and a row's columns as text."""


def dumped(row: models.Model) -> Row:
    """Return a row with all its columns."""
    fields = row._meta.concrete_fields
    return row._meta.label, {
        field.attname: None if getattr(row, field.attname) is None else field.value_to_string(row)
        for field in fields
    }


def as_read(rows: Any) -> list[Row]:
    """Return rows from JSON in a form comparable with stored ones."""
    return [(label, columns) for label, columns in rows]


def loaded(row: Row) -> Any:
    """Return the unsaved object of a row."""
    model = apps.get_model(row[0])
    fields = {field.attname: field for field in model._meta.concrete_fields}
    return model(
        **{name: None if text is None else fields[name].to_python(text) for name, text in row[1].items()}
    )


def delete_with_all(row: Any, *, by: Any, note: str) -> list[Row]:
    """Delete a row; return all rows deleted with it, this one first."""
    collector = Collector(using=DEFAULT_DB_ALIAS, origin=row)
    collector.collect([row])
    found = {one: None for some in collector.data.values() for one in some}
    found |= {one: None for some in collector.fast_deletes for one in some}
    rows = sorted(found, key=lambda one: one != row)
    gone = [dumped(one) for one in rows]
    name_author(row, by, note)
    row.delete()
    return gone


def restore(rows: list[Row], *, by: Any, note: str) -> None:
    """Store rows again, with their former keys."""
    for row in rows:
        one = loaded(row)
        name_author(one, by, note)
        one.save(force_insert=True)
