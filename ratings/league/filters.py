"""Filters of the league's lists."""

from __future__ import annotations

from django import forms
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter, ModelChoiceFilter

from foa.web.listing import ANY, OfficeFilterSet
from members.words import with_words
from ratings.league.models import CycleResult, Season, Team

_WORDS = {"type": "search", "placeholder": _("Name contains")}


class SeasonFilter(OfficeFilterSet):
    season = CharFilter(
        label=_("Season"),
        max_length=50,
        method="filter_season",
        widget=forms.TextInput(attrs=_WORDS),
    )

    def filter_season(self, queryset: QuerySet[Season], name: str, value: str) -> QuerySet[Season]:
        """Keep seasons with all these words in their names."""
        return with_words(queryset, value)


def _teams(request: HttpRequest) -> QuerySet[Team]:
    """Return the teams of the page's season."""
    match = request.resolver_match
    return Team.objects.filter(season=match.kwargs["pk"]).order_by("name") if match else Team.objects.none()


class CycleResultFilter(OfficeFilterSet):
    """Filters and order of the lines of a cycle's list."""

    name = CharFilter(
        label=_("Player"), max_length=100, method="filter_name", widget=forms.TextInput(attrs=_WORDS)
    )
    team = ModelChoiceFilter(label=_("Team"), empty_label=ANY, queryset=_teams)
    order = ChoiceFilter(
        label=_("In the order of"),
        empty_label=_("ratings"),
        method="filter_order",
        choices=[("name", _("names")), ("gain", _("gains"))],
    )

    def filter_name(self, queryset: QuerySet[CycleResult], name: str, value: str) -> QuerySet[CycleResult]:
        """Keep players with all these words in their names."""
        return with_words(queryset, value)

    def filter_order(self, queryset: QuerySet[CycleResult], name: str, value: str) -> QuerySet[CycleResult]:
        """Order by name, or by the largest gain."""
        first = () if value == "name" else (F("adjusted").desc(nulls_last=True),)
        return queryset.order_by(*first, "name", "player")
