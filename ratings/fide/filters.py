"""Filters of FIDE players and lists."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from foa.web.listing import ANY, OfficeFilterSet
from members.filters import FederationFilter
from ratings.fide.models import CONTROL_NAMES, FideListQuerySet, FidePlayerQuerySet
from ratings.formats.frl import FideControl


class FidePlayerFilter(OfficeFilterSet):
    """Filters of FIDE players. An index in the order of names serves both fields."""

    player = CharFilter(
        label=_("Player"),
        max_length=100,
        method="filter_player",
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Name or FIDE ID")}),
    )
    federation = FederationFilter()

    def filter_player(self, queryset: FidePlayerQuerySet, name: str, value: str) -> FidePlayerQuerySet:
        """Keep players whose name begins with these words, or who have this FIDE ID."""
        return queryset.matching(value)


class FideListFilter(OfficeFilterSet):
    control = ChoiceFilter(
        empty_label=ANY,
        label=_("With ratings in"),
        method="filter_control",
        choices=[(control.value, name) for control, name in CONTROL_NAMES.items()],
    )

    def filter_control(self, queryset: FideListQuerySet, name: str, value: str) -> FideListQuerySet:
        """Keep combined lists, and those of this control."""
        return queryset.of(FideControl(value))
