"""Accounts that are closed for rated play."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextareaWidget
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.web.admin_history import HistoryAdmin
from foa.web.typed import ModelForm
from members.models import AccountClosure
from ratings.rbb.admin.base import OfMembers


class InForceFilter(admin.SimpleListFilter):
    """Accounts that are closed now, that will be, or that are open again."""

    title = _("closed")
    parameter_name = "closed"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """By today's date."""
        return [("now", _("now")), ("later", _("later")), ("over", _("open again"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AccountClosure]) -> QuerySet[AccountClosure]:
        """By their spans."""
        now = timezone.now()
        chosen = {
            "now": Q(closed_from__lte=now) & (Q(closed_until=None) | Q(closed_until__gt=now)),
            "later": Q(closed_from__gt=now),
            "over": Q(closed_until__lte=now),
        }
        return queryset.filter(chosen.get(self.value() or "", Q()))


class NoteForm(ModelForm[AccountClosure]):
    """The note for staff, which nobody empties."""

    note = forms.CharField(
        label=_("note for staff"), widget=AdminTextareaWidget, help_text=_("Never public.")
    )


@admin.register(AccountClosure)
class AccountClosureAdmin(OfMembers[AccountClosure], HistoryAdmin[AccountClosure]):
    """What decisions made. Only the note for staff is edited here; reopening is a decision, too."""

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
        """An account is closed on its member's page."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Reopening takes a closure back, with its games."""
        return False
