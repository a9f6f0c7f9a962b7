"""Columns of the office's tables: numbers aligned right, moments in UTC, sparklines."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django_tables2 import Column

from foa.text import minute, points, signed

_NUMBER: Final = {"td": {"class": "number"}, "th": {"class": "number"}}
_MOMENT: Final = {"td": {"class": "moment"}}

# django_tables2 has no type stubs, so its classes are of type Any to mypy: hence `misc` below.


def moved(change: Decimal | int, text: str) -> SafeString | str:
    """Return the text of a change, marked as a gain or a loss unless it is 0."""
    if not change:
        return text
    return format_html('<span class="{}">{}</span>', "gain" if change > 0 else "loss", text)


class NumberColumn(Column):  # type: ignore[misc]
    """Right-aligned number. Sorting starts with the largest."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"attrs": _NUMBER, "initial_sort_descending": True, **kwargs})


class CountColumn(NumberColumn):
    """Number of things, with the separator of thousands that the texts have: 12,345."""

    def render(self, value: int) -> str:
        return number_format(value, force_grouping=True)


class PointsColumn(NumberColumn):
    """Exact rating with two decimals (RBB 3.1)."""

    def render(self, value: Any) -> str:
        return points(value)


class ChangeColumn(NumberColumn):
    """Rating change with its sign; gains and losses also have an arrow and a colour."""

    def render(self, value: Any) -> SafeString | str:
        return moved(value, signed(value))


class MomentColumn(Column):  # type: ignore[misc]
    """Moment in UTC, to the minute; its heading says UTC. The ``datetime`` attribute has the seconds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"attrs": _MOMENT, **kwargs})

    def render(self, value: Any) -> SafeString:
        """Return a ``time`` element."""
        return format_html('<time datetime="{}">{}</time>', value.isoformat(), minute(value))


WIDTH, HEIGHT = 64, 18
_EDGE: Final = 2
"""Margin for the width of the line, in pixels."""


def sparkline(values: Sequence[int | None], words: str) -> SafeString:
    """Return an SVG line of the values from left to right; None leaves a gap.

    Empty for fewer than two known values. ``words``: a description for screen readers.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return SafeString()
    low, high = min(known), max(known)
    step = (WIDTH - 2 * _EDGE) / (len(values) - 1)
    tall = HEIGHT - 2 * _EDGE
    path, drawn = "", False
    for number, value in enumerate(values):
        if value is not None:
            x = _EDGE + round(step * number)
            y = _EDGE + (round(tall * (high - value) / (high - low)) if high > low else tall // 2)
            # A line of no length, so that a single point is visible too.
            path += f"L{x} {y}" if drawn else f"M{x} {y}h0"
        drawn = value is not None
    return format_html(
        '<svg class="spark" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">'
        '<path d="{}"/></svg>',
        WIDTH,
        HEIGHT,
        WIDTH,
        HEIGHT,
        words,
        path,
    )
