"""What can be asked of the league."""

from __future__ import annotations

from django import forms
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter, ModelChoiceFilter

from foa.web.listing import ANY, OfficeFilterSet
from members.words import has_words
from ratings.league.models import CycleResult, Season, Team

_PART = {"type": "search", "placeholder": _("A part of the name")}


class SeasonFilter(OfficeFilterSet):
    season = CharFilter(
        label=_("Season"),
        max_length=50,
        field_name="name",
        lookup_expr="icontains",
        widget=forms.TextInput(attrs=_PART),
    )

    class Meta:
        model = Season
        fields: list[str] = []


def _teams(request: HttpRequest) -> QuerySet[Team]:
    """Those of the season of the page."""
    match = request.resolver_match
    return Team.objects.filter(season=match.kwargs["pk"]).order_by("name") if match else Team.objects.none()


class CycleResultFilter(OfficeFilterSet):
    """Which lines of the list of a cycle, in which order."""

    name = CharFilter(
        label=_("Player"), max_length=100, method="filter_name", widget=forms.TextInput(attrs=_PART)
    )
    team = ModelChoiceFilter(label=_("Team"), empty_label=ANY, queryset=_teams)
    order = ChoiceFilter(
        label=_("In the order of"),
        empty_label=_("names"),
        method="filter_order",
        choices=[("rating", _("ratings")), ("gain", _("gains"))],
    )

    class Meta:
        model = CycleResult
        fields: list[str] = []

    def filter_name(self, queryset: QuerySet[CycleResult], name: str, value: str) -> QuerySet[CycleResult]:
        """Those with all these words in their names, in any order and without accents. A cycle has few."""
        names = queryset.order_by().values_list("pk", "name")
        return queryset.filter(pk__in=[key for key, called in names if has_words(called, value)])

    def filter_order(self, queryset: QuerySet[CycleResult], name: str, value: str) -> QuerySet[CycleResult]:
        """The highest first, who stays unrated last."""
        key = F("new" if value == "rating" else "adjusted").desc(nulls_last=True)
        return queryset.order_by(key, "name", "player")
