"""Columns of the office's tables: exact numbers to the right, moments in UTC."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django_tables2 import Column

from foa.text import minute, points, signed

_NUMBER: Final = {"td": {"class": "number"}, "th": {"class": "number"}}
_MOMENT: Final = {"td": {"class": "moment"}}

# django_tables2 has no type stubs, so its classes are of type Any to mypy: hence `misc` below.


def moved(change: Decimal | int, text: str) -> SafeString | str:
    """The text of a change, marked as a gain or a loss where it is one."""
    if not change:
        return text
    return format_html('<span class="{}">{}</span>', "gain" if change > 0 else "loss", text)


class NumberColumn(Column):  # type: ignore[misc]
    """A number as it is, to the right. Sorting begins with the largest."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"attrs": _NUMBER, "initial_sort_descending": True, **kwargs})


class PointsColumn(NumberColumn):
    """RBB 3.1: an exact rating with its two decimals."""

    def render(self, value: Any) -> str:
        return points(value)


class ChangeColumn(NumberColumn):
    """A change of rating, with its sign; gains and losses have an arrow and a colour too."""

    def render(self, value: Any) -> SafeString | str:
        return moved(value, signed(value))


class MomentColumn(Column):  # type: ignore[misc]
    """A moment in UTC, to the minute; its heading says UTC. The seconds are in the attribute."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"attrs": _MOMENT, **kwargs})

    def render(self, value: Any) -> SafeString:
        """For people and, in the attribute, for machines."""
        return format_html('<time datetime="{}">{}</time>', value.isoformat(), minute(value))
