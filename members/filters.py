"""Filters of members."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from foa.web.listing import ANY, OfficeFilterSet
from members.flags import code_of
from members.models import TITLES, Member
from members.models import MemberQuerySet as Members
from ratings.rbb.ledger.activity import active_members
from ratings.rbb.lists.title_filters import members_near_a_title, unrated_members
from ratings.rules.time_controls import Category

# django_filters has no type stubs, so a class of its is of type Any to mypy: hence `misc` below.


class MemberTextFilter(CharFilter):  # type: ignore[misc]
    """Search field for a name, a username or a FIDE ID."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"type": "search", "placeholder": _("Name, username or FIDE ID")}
        super().__init__(label=_("Member"), max_length=100, widget=forms.TextInput(attrs=attrs), **kwargs)


class _FederationField(forms.CharField):
    def clean(self, value: Any) -> str:
        """Return FIDE's code; raise ValidationError for an unknown federation."""
        text: str = super().clean(value)
        code = code_of(text) if text else ""
        if code is None:
            raise ValidationError(_("No federation is called “%(text)s”."), params={"text": text})
        return code


class FederationFilter(CharFilter):  # type: ignore[misc]
    """Field for a federation: its name, or FIDE's three-letter code."""

    field_class = _FederationField

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"placeholder": _("Norway or NOR")}
        super().__init__(label=_("Federation"), max_length=60, widget=forms.TextInput(attrs=attrs), **kwargs)


class TitleFilter(ChoiceFilter):  # type: ignore[misc]
    """Choice of a title, highest first."""

    def __init__(self, **kwargs: Any) -> None:
        titles = [(title, title) for title in TITLES]
        super().__init__(empty_label=ANY, label=_("Title"), choices=titles, **kwargs)


class YesFilter(ChoiceFilter):  # type: ignore[misc]
    """Choice of "yes" or any row; the method finds the rows for "yes"."""

    def __init__(self, label: object, method: str) -> None:
        super().__init__(empty_label=ANY, label=label, choices=[("yes", _("yes"))], method=method)


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
            ("rapid", _("Rapid")),
            ("blitz", _("Blitz")),
            ("bullet", _("Bullet")),
            ("none", _("no category (unrated)")),
        ],
        method="filter_rated",
    )

    active = YesFilter(_("Rated game in the last 12 months"), "filter_active")
    near = YesFilter(_("Near a title (up to 50 points below)"), "filter_near")

    def filter_queryset(self, queryset: Members) -> Members:
        """Filter; leave out members who hide their sex if the filter asks for one."""
        found: Members = super().filter_queryset(queryset)
        return found.filter(hides_birth=False) if self.form.cleaned_data.get("sex") else found

    def filter_member(self, queryset: Members, name: str, value: str) -> Members:
        return queryset.matching(value)

    def filter_full(self, queryset: Members, name: str, value: str) -> Members:
        """Return members who are, or aren't, full members now (RBB 2.1)."""
        full = Member.objects.full(at=timezone.now()).order_by()
        return queryset.filter(pk__in=full) if value == "yes" else queryset.exclude(pk__in=full)

    def filter_rated(self, queryset: Members, name: str, value: str) -> QuerySet[Member]:
        """Return members with a rating in this category (RBB 1.1), or without any rating."""
        if value == "none":
            return unrated_members(queryset)
        return queryset.filter(ratings__category=Category.from_slug(value), ratings__rating__isnull=False)

    def filter_active(self, queryset: Members, name: str, value: str) -> QuerySet[Member]:
        return active_members(queryset, timezone.now())

    def filter_near(self, queryset: Members, name: str, value: str) -> QuerySet[Member]:
        return members_near_a_title(queryset)
