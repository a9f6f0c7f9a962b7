"""Fields with suggestions while somebody types (``search.js``); without JavaScript they are plain fields."""

from __future__ import annotations

from typing import Any

from django import forms
from django.urls import reverse_lazy
from django.utils.text import format_lazy


def suggestions(of: str) -> dict[str, Any]:
    """Return the attributes of a field with suggestions while somebody types.

    ``of``: the search of a room that finds them, by the name of its function.
    """
    return {
        "autocomplete": "off",
        "data-suggest": format_lazy("{}?of={}", reverse_lazy("ratings:suggestions"), of),
    }


class SearchInput(forms.TextInput):
    """Search field of a list, with suggestions of this search."""

    def __init__(self, of: str, **attrs: Any) -> None:
        super().__init__({"type": "search", **suggestions(of), **attrs})
