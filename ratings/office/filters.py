"""Filters that lists of several rule books share."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter

from foa.web.suggestions import SearchInput
from ratings.office.names import is_player


class PlayerFilter(CharFilter):  # type: ignore[misc]
    """Search field for a name or a FIDE ID, for rows with ``fide_id`` and the ``folded`` name.

    ``of``: the search that suggests players while somebody types.
    """

    def __init__(self, of: str, **kwargs: Any) -> None:
        super().__init__(
            label=_("Player"),
            max_length=100,
            widget=SearchInput(of, placeholder=_("Name or FIDE ID")),
            **kwargs,
        )

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the players who match."""
        return qs.filter(is_player(value)) if value else qs
