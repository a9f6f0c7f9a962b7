"""Filters of tournaments and over-the-board lists."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter, NumberFilter

from foa.text import number_in
from foa.web.listing import ANY, OfficeFilterSet
from members.filters import FederationFilter
from members.words import with_words
from ratings.office.archives import RevisionFilter
from ratings.office.names import begins
from ratings.otb.models import CHAPTER_NAMES, KIND_NAMES, OtbListEntry, Tournament
from ratings.rules.b02.time_controls import Chapter

_LONGEST_ID: Final = 9


def _year(field: str) -> NumberFilter:
    return NumberFilter(
        label=_("Year"), field_name=field, lookup_expr="year", min_value=1, max_value=2999, decimal_places=0
    )


def _chapter() -> ChoiceFilter:
    return ChoiceFilter(
        empty_label=ANY,
        label=_("Rating type"),
        method="filter_chapter",
        choices=[(chapter.slug, name) for chapter, name in CHAPTER_NAMES.items()],
    )


class _OfChapter(OfficeFilterSet):
    """A filter by chapter."""

    def filter_chapter(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        return queryset.filter(chapter=Chapter.of(value))


class TournamentFilter(_OfChapter):
    tournament = CharFilter(
        label=_("Tournament"),
        max_length=100,
        method="filter_tournament",
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Name contains")}),
    )
    federation = FederationFilter()
    kind = ChoiceFilter(
        empty_label=ANY,
        label=_("Kind"),
        method="filter_kind",
        choices=[(kind.slug, name) for kind, name in KIND_NAMES.items()],
    )
    chapter = _chapter()
    status = ChoiceFilter(
        empty_label=ANY,
        label=_("Status"),
        method="filter_status",
        choices=[(status.name.lower(), status.label) for status in Tournament.Status],
    )
    year = _year("last_day")

    def filter_tournament(
        self, queryset: QuerySet[Tournament], name: str, value: str
    ) -> QuerySet[Tournament]:
        """Return those with all these words in their names."""
        return with_words(queryset, value)

    def filter_kind(self, queryset: QuerySet[Tournament], name: str, value: str) -> QuerySet[Tournament]:
        return queryset.filter(kind=next(kind for kind in KIND_NAMES if kind.slug == value))

    def filter_status(self, queryset: QuerySet[Tournament], name: str, value: str) -> QuerySet[Tournament]:
        return queryset.filter(status=Tournament.Status[value.upper()])


class OtbArchiveFilter(_OfChapter):
    chapter = _chapter()
    year = _year("list_day")
    revisions = RevisionFilter()


class OtbTopFilter(OfficeFilterSet):
    federation = FederationFilter()


class OtbEntryFilter(OfficeFilterSet):
    player = CharFilter(
        label=_("Player"),
        max_length=100,
        method="filter_player",
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Name or FIDE ID")}),
    )
    federation = FederationFilter()

    def filter_player(
        self, queryset: QuerySet[OtbListEntry], name: str, value: str
    ) -> QuerySet[OtbListEntry]:
        """Return those whose name begins with these words in any order, or whose FIDE ID it is; by index."""
        if (number := number_in(value, _LONGEST_ID)) is not None:
            return queryset.filter(fide_id=number)
        return queryset.filter(begins("folded", value))
