"""What can be asked of members."""

from __future__ import annotations

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from foa.web.listing import ANY, OfficeFilterSet
from members.models import TITLES, Member
from members.models import MemberQuerySet as Members

__all__ = ["MemberFilter"]


class MemberFilter(OfficeFilterSet):
    """Which members."""

    member = CharFilter(
        label=_("Member"), method="filter_member", max_length=100,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Name, username or FIDE ID")}),
    )  # fmt: skip
    federation = CharFilter(
        label=_("Federation"), lookup_expr="iexact", max_length=3,
        widget=forms.TextInput(attrs={"placeholder": "NOR"}),
    )  # fmt: skip
    title = ChoiceFilter(empty_label=ANY, label=_("Title"), choices=[(title, title) for title in TITLES])
    sex = ChoiceFilter(empty_label=ANY, label=_("Sex"), choices=Member.Sex.choices)
    full = ChoiceFilter(
        empty_label=ANY,
        label=_("Full member now"),
        choices=[("yes", _("yes")), ("no", _("no"))],
        method="filter_full",
    )

    class Meta:
        model = Member
        fields: list[str] = []

    def filter_member(self, queryset: Members, name: str, value: str) -> Members:
        """Those whom this text matches."""
        return queryset.matching(value)

    def filter_full(self, queryset: Members, name: str, value: str) -> Members:
        """RBB 2.1: those who are, or are not, full members at this moment."""
        full = Member.objects.full(at=timezone.now()).order_by()
        return queryset.filter(pk__in=full) if value == "yes" else queryset.exclude(pk__in=full)
