"""CSV file of an admin list: all rows that match its filters, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any, Final

from django.contrib.admin.utils import lookup_field
from django.contrib.admin.views.main import ChangeList
from django.http import HttpResponseBase
from django.utils.html import strip_tags
from django.utils.safestring import SafeString

from foa.files import csv_response
from foa.spreadsheet import Cell
from foa.text import utc_text

_AT_ONCE: Final = 1_000
_NO_COLUMN: Final = "action_checkbox"


def exported(page: ChangeList) -> HttpResponseBase:
    """Return the file, sent while its rows are read."""
    model_admin: Any = page.model_admin
    names = [name for name in model_admin.export_display or page.list_display if name != _NO_COLUMN]
    rows = page.queryset.prefetch_related(*model_admin.list_prefetch_related)
    columns = [_column(name, page) for name in names]
    return csv_response(str(page.opts.model_name), columns, _rows(rows, names, model_admin))


def _column(name: Any, page: ChangeList) -> str:
    """Return the name of a column, the same in every language."""
    return str(page.opts.model_name if name == "__str__" else getattr(name, "__name__", name))


def _rows(rows: Any, names: list[Any], model_admin: Any) -> Iterator[list[Cell]]:
    found = rows.iterator(chunk_size=_AT_ONCE)
    while some := list(islice(found, _AT_ONCE)):
        for row in model_admin.with_what_is_shown(some):
            yield [_cell(*lookup_field(name, row, model_admin)) for name in names]


def _cell(field: Any, _attribute: Any, value: Any) -> Cell:
    """Return the value of a cell: moments in ISO 8601 and UTC, choices as labels."""
    choices = getattr(field, "flatchoices", None)
    if choices:
        value = dict(choices).get(value, value)
    if value is None or isinstance(value, int | Decimal):
        return value
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return strip_tags(value) if isinstance(value, SafeString) else str(value)
