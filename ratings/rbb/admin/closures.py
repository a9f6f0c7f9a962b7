"""Admin pages of accounts closed for rated play."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextareaWidget
from django.db.models import Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.web.admin import ChoiceFilter
from foa.web.admin_history import HistoryAdmin
from members.models import AccountClosure
from ratings.rbb.admin.base import OfMembers


class InForceFilter(ChoiceFilter):
    """Filter of closures that are in force, in the future or over."""

    title = _("closed")
    parameter_name = "closed"
    options = (("now", _("now")), ("later", _("starting later")), ("over", _("reopened")))

    def queryset(self, request: HttpRequest, queryset: QuerySet[AccountClosure]) -> QuerySet[AccountClosure]:
        """Filter by the spans, relative to now."""
        now = timezone.now()
        chosen = {
            "now": Q(closed_from__lte=now) & (Q(closed_until=None) | Q(closed_until__gt=now)),
            "later": Q(closed_from__gt=now),
            "over": Q(closed_until__lte=now),
        }
        return queryset.filter(chosen.get(self.value() or "", Q()))


class NoteForm(ModelForm[AccountClosure]):
    """Form of the note for staff, which is required."""

    note = forms.CharField(
        label=_("Note for staff"), widget=AdminTextareaWidget, help_text=_("Never public.")
    )


@admin.register(AccountClosure)
class AccountClosureAdmin(OfMembers[AccountClosure], HistoryAdmin[AccountClosure]):
    """Admin pages of closures. Only the note for staff can be edited; closing and reopening are decisions."""

    form = NoteForm
    list_display = ("member", "closed_from", "closed_until", "category", "games_since", "decided_at")
    list_filter = (InForceFilter, "category")
    list_select_related = ("member",)
    sortable_by = ("closed_from",)
    fields = (
        "member",
        ("closed_from", "closed_until"),
        "category",
        ("games_since", "opponents"),
        "decided_at",
        "note",
    )
    readonly_fields = (
        "member",
        "closed_from",
        "closed_until",
        "category",
        "games_since",
        "opponents",
        "decided_at",
    )

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: accounts are closed on their member's page."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: a closure is undone, with its games, by reopening."""
        return False
