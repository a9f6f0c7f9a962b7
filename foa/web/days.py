"""A field of a form for a day."""

from typing import Any

from django import forms
from django.utils.dateparse import parse_date


class DayInput(forms.DateInput):
    """The browser's own field for a day. It holds nothing else, so what is no day is left out."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")

    def format_value(self, value: Any) -> str | None:
        """2026-10-31, or None."""
        text = super().format_value(value)
        return text if text and _is_day(text) else None


def _is_day(text: str) -> bool:
    try:
        return parse_date(text) is not None
    except ValueError:
        return False
