"""Table rows as django_tables2 writes them, but with whatever all rows share worked out once.

For every cell the library works out again which arguments a column's functions take, its attributes and
which field it shows. On a page of fifty rows that takes most of the time.
"""

from __future__ import annotations

import html
import inspect
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

from django.db.models import Model
from django.utils.encoding import force_str
from django.utils.formats import localize
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django_tables2 import Table
from django_tables2.utils import Accessor


def body(table: Table) -> SafeString:
    """Return the escaped HTML rows of a table; empty if it has none."""
    cells = [_Cell(table, column) for column in table.columns]
    rows = ("".join([cell.of(record) for cell in cells]) for record in table.data)
    end = f"{_unfolds()}</tr>\n" if getattr(table, "phone", ()) else "</tr>\n"
    return mark_safe("".join(f"<tr>{row}{end}" for row in rows))  # noqa: S308  # each cell is escaped


def _unfolds() -> str:
    """Return the cell that unfolds a row's other cells on a phone, without JavaScript."""
    label = html.escape(gettext("Show details"))
    return f'<td class="unfold"><input type="checkbox" aria-label="{label}" autocomplete="off"></td>'


class _Cell:
    """Column of a table, prepared to write its cells."""

    def __init__(self, table: Table, bound: Any) -> None:
        given = {"table": table, "column": bound.column, "bound_column": bound}
        self.accessor, self.name = str(bound.accessor), bound.name
        attributes = bound.attrs["td"].as_html()
        self.begin = f"<td {attributes}>" if attributes else "<td>"
        self.empty_values = bound.column.empty_values
        self.default = escaped(bound.default)
        self.render = _called(bound.render, given)
        self.link = bound.link
        self.linked_to = _called(self.link.url, given) if self.link and self.link.url is not None else None

    def of(self, record: Any) -> str:
        """Return the HTML cell of a record, linked if the column is."""
        value = _reader(record.__class__, self.accessor)(record)
        if value in self.empty_values:
            return f"{self.begin}{self.default}</td>"
        text = escaped(self.render(record, value))
        address = self.link and self._address(record, value)
        if address is not None:
            text = f'<a href="{html.escape(address)}">{text}</a>'
        return f"{self.begin}{text}</td>"

    def _address(self, record: Any, value: Any) -> str | None:
        if self.linked_to is not None:
            found: str | None = self.linked_to(record, value)
            return found
        # As in the library: the object that the column shows, else the record.
        linked = _reader(record.__class__, str(self.link.accessor or self.name))(record)
        address: str = (linked if hasattr(linked, "get_absolute_url") else record).get_absolute_url()
        return address


def escaped(value: Any) -> str:
    """Return a value as a template would write it."""
    if not isinstance(value, str):
        value = str(value) if type(value) is int else localize(value)
    return value if isinstance(value, SafeString) else html.escape(str(value))


def _called(function: Callable[..., Any], given: dict[str, Any]) -> Callable[[Any, Any], Any]:
    """Wrap a column's function as one of record and value; it gets the arguments it names."""
    wanted = _parameters(getattr(function, "__func__", function))
    if wanted == ("value",):
        return lambda record, value: function(value)
    if wanted == ("record",):
        return lambda record, value: function(record)
    return lambda record, value: function(
        **{name: {**given, "record": record, "value": value}[name] for name in wanted}
    )


@cache
def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the argument names of a column's function, without ``self``."""
    return tuple(name for name in inspect.signature(function).parameters if name != "self")


@cache
def _reader(kind: type, path: str) -> Callable[[Any], Any]:
    """Return a function that reads a column's value: a field with choices gives its label, no value None."""
    name = path.replace("__", ".")
    # Not get_…_display(): it makes a dictionary of all choices for each row.
    words: dict[Any, Any] = {}
    if issubclass(kind, Model):
        field = Accessor(path).get_field(kind)
        if getattr(field, "choices", None) and field.name == name.rpartition(".")[2]:
            words = dict(field.flatchoices)
    read = attrgetter(name)

    def value(record: Any) -> Any:
        try:
            found = read(record)
        except AttributeError:
            return None
        if words:
            return force_str(words.get(found, found), strings_only=True)
        return found() if callable(found) else found

    return value
