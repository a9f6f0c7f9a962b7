"""Admin pages of cycles. They are entered on the page of their season, and closed by a decision."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.league.admin.base import LeagueInputAdmin
from ratings.league.models import Cycle
from ratings.office.admin.base import LookAtOnly
from ratings.office.admin.deciding import DecisionPages


@admin.register(Cycle)
class CycleAdmin(LookAtOnly, DecisionPages, LeagueInputAdmin[Cycle]):
    """A cycle. It is entered on the page of its season, and closed here."""

    decisions = {"<int:cycle>/close": "close-cycle", "<int:cycle>/reopen": "reopen-cycle"}
    list_display = ("season", "number", "last_round", "closed_at", "lists")
    export_display = ("season", "number", "last_round", "closed_at")
    list_display_links = ("season", "number")
    list_filter = ("season", ("closed_at", admin.EmptyFieldListFilter))
    list_select_related = ("season",)
    sortable_by = ()
    fields = ("season", "number", "last_round", "closed_at", "lists")
    readonly_fields = ("closed_at", "lists")
    list_prefetch_related = ("lists",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow deleting only an open cycle, which goes with its season."""
        is_open = obj is None or obj.closed_at is None
        return is_open and request.user.has_perm("league.delete_cycle")

    def get_list_display(self, request: HttpRequest) -> Any:
        """Add the link to close a cycle for users who may."""
        return (
            (*self.list_display, "closing") if self.may_decide(request, "close-cycle") else self.list_display
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the page, with a button for users who may close the cycle."""
        may = {"may_close": self.may_decide(request, "close-cycle")}
        return super().change_view(request, object_id, form_url, {**may, **(extra_context or {})})

    @admin.display(description=_("lists"))
    def lists(self, cycle: Cycle) -> SafeString:
        """Link to the published revisions, in order."""
        revisions = sorted(cycle.lists.all(), key=lambda one: one.revision)
        for one in revisions:
            one.cycle = cycle
        return format_html_join(
            " ",
            '<a href="{}" aria-label="{}">{}</a>',
            ((one.get_absolute_url(), one, one.revision) for one in revisions),
        )

    @admin.display(description=_("closing"))
    def closing(self, cycle: Cycle) -> SafeString | str:
        """Link to the page that closes the cycle, while it is open."""
        if cycle.closed_at is not None:
            return ""
        address = reverse("admin:league_cycle_close", args=(cycle.pk,))
        return format_html(
            '<a href="{}" aria-label="{}: {}">{}</a>', address, gettext("Close …"), cycle, gettext("Close …")
        )
