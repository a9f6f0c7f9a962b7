"""Admin pages of the editions of RBB, which are decided."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from ratings.office.admin.base import ProjectionAdmin
from ratings.office.admin.deciding import DecisionPages
from ratings.rbb.edition_words import amendment_text
from ratings.rbb.models import RuleEdition


@admin.register(RuleEdition)
class RuleEditionAdmin(DecisionPages, ProjectionAdmin[RuleEdition]):
    """Admin pages of the editions in force and to come."""

    decisions = {"put": "put-edition-into-force", "withdraw": "withdraw-edition"}
    list_display = ("since", "changes", "change_set")
    list_select_related = ("change_set",)
    sortable_by = ("since",)
    fields = ("since", "changes", "toml", "change_set")
    readonly_fields = ("changes",)

    @admin.display(description=_("changes"))
    def changes(self, edition: RuleEdition) -> str:
        """Return what it changes, in words."""
        return amendment_text(edition.amendment)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, with a button for users who may decide."""
        context = {"may_put": self.may_decide(request, "put-edition-into-force")}
        return super().changelist_view(request, {**context, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show an edition, with a button for users who may withdraw it."""
        context = {"may_withdraw": self.may_decide(request, "withdraw-edition")}
        return super().change_view(request, object_id, form_url, {**context, **(extra_context or {})})
