"""Admin pages of inputs that can be edited until a closed cycle has used them, and corrected after that."""

from __future__ import annotations

from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse

from ratings.league.admin.base import LeagueInputAdmin
from ratings.league.models import Board, League, SquadPlayer
from ratings.league.services.corrections import rated_with
from ratings.office.admin.deciding import DecisionPages

M = TypeVar("M", Board, League, SquadPlayer)


class CorrectableAdmin(DecisionPages, LeagueInputAdmin[M]):
    """Admin pages whose only decision corrects an object."""

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Refuse to edit what a closed cycle was rated with."""
        return super().has_change_permission(request, obj) and (obj is None or rated_with(obj) is None)

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Refuse to delete what a closed cycle was rated with."""
        return super().has_delete_permission(request, obj) and (obj is None or rated_with(obj) is None)

    def render_change_form(
        self,
        request: HttpRequest,
        context: Any,
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: M | None = None,
    ) -> HttpResponse:
        """Render the page, with a button to correct what can't be edited any more, for users who may."""
        (kind,) = self.decisions.values()
        is_rated = obj is not None and rated_with(obj) is not None
        context["may_correct"] = is_rated and self.may_decide(request, kind)
        return super().render_change_form(request, context, add, change, form_url, obj)
