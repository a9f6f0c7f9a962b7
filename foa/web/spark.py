"""Sparklines: a line as small as a word, for a cell of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

WIDTH, HEIGHT = 64, 18
_EDGE: Final = 2
"""Space for the width of the line."""


def sparkline(values: Sequence[int | None], words: str) -> SafeString:
    """The values from left to right, each as high as it is among them; None leaves a gap.

    Empty for fewer than two.
    ``words`` say the same to those who don't see the line.
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
            # A step of no length: a point alone is seen too.
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
