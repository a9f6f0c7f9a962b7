"""What can be asked of members."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from foa.web.listing import ANY, OfficeFilterSet
from members.models import TITLES, Member
from members.models import MemberQuerySet as Members
from ratings.rules.time_controls import Category

# django_filters has no type stubs, so a class of its is of type Any to mypy: hence `misc` below.


class MemberTextFilter(CharFilter):  # type: ignore[misc]
    """A field for a name, a username or a FIDE ID."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"type": "search", "placeholder": _("Name, username or FIDE ID")}
        super().__init__(label=_("Member"), max_length=100, widget=forms.TextInput(attrs=attrs), **kwargs)


class FederationFilter(CharFilter):  # type: ignore[misc]
    """A field for FIDE's three-letter code, capital or small."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"placeholder": "NOR", "autocapitalize": "characters"}
        super().__init__(label=_("Federation"), max_length=3, widget=forms.TextInput(attrs=attrs), **kwargs)

    def filter(self, queryset: Any, value: str) -> Any:
        """Members are stored with capital letters: so an index can answer."""
        return super().filter(queryset, value.upper())


class TitleFilter(ChoiceFilter):  # type: ignore[misc]
    """The titles, highest first."""

    def __init__(self, **kwargs: Any) -> None:
        titles = [(title, title) for title in TITLES]
        super().__init__(empty_label=ANY, label=_("Title"), choices=titles, **kwargs)


class MemberFilter(OfficeFilterSet):
    member = MemberTextFilter(method="filter_member")
    federation = FederationFilter()
    title = TitleFilter()
    sex = ChoiceFilter(empty_label=ANY, label=_("Sex"), choices=Member.Sex.choices)
    full = ChoiceFilter(
        empty_label=ANY,
        label=_("Full member now"),
        choices=[("yes", _("yes")), ("no", _("no"))],
        method="filter_full",
    )
    rated = ChoiceFilter(
        empty_label=ANY,
        label=_("Rated in"),
        choices=[
            (category.slug, label)
            for category, label in zip(Category, (_("Rapid"), _("Blitz"), _("Bullet")), strict=True)
        ],
        method="filter_rated",
    )

    class Meta:
        model = Member
        fields: list[str] = []

    def filter_member(self, queryset: Members, name: str, value: str) -> Members:
        return queryset.matching(value)

    def filter_full(self, queryset: Members, name: str, value: str) -> Members:
        """RBB 2.1: those who are, or are not, full members at this moment."""
        full = Member.objects.full(at=timezone.now()).order_by()
        return queryset.filter(pk__in=full) if value == "yes" else queryset.exclude(pk__in=full)

    def filter_rated(self, queryset: Members, name: str, value: str) -> Members:
        """Those who have a rating in this category (RBB 1.1)."""
        return queryset.filter(ratings__category=Category.from_slug(value), ratings__rating__isnull=False)
