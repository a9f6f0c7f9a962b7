"""Filters that lists of several rule books share."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter

from ratings.office.names import is_player


class PlayerFilter(CharFilter):  # type: ignore[misc]
    """Search field for a name or a FIDE ID, for rows with ``fide_id`` and the ``folded`` name."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"type": "search", "placeholder": _("Name or FIDE ID")}
        super().__init__(label=_("Player"), max_length=100, widget=forms.TextInput(attrs=attrs), **kwargs)

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the players who match."""
        return qs.filter(is_player(value)) if value else qs
