"""Sparklines for table cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

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
