"""What is edited until a closed cycle has been rated with it, and from then on corrected by a decision."""

from __future__ import annotations

from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse

from ratings.league.admin.base import LeagueInputAdmin
from ratings.league.models import Board, League, SquadPlayer
from ratings.league.services.corrections import rated_with
from ratings.office.admin.deciding import DecisionPages

M = TypeVar("M", Board, League, SquadPlayer)


class CorrectableAdmin(DecisionPages, LeagueInputAdmin[M]):
    """Admin whose only decision corrects an object."""

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Not of what a closed cycle was rated with."""
        return super().has_change_permission(request, obj) and (obj is None or rated_with(obj) is None)

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Not of what a closed cycle was rated with."""
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
        """The page, with a button for who may correct what is no longer edited."""
        (kind,) = self.decisions.values()
        is_rated = obj is not None and rated_with(obj) is not None
        context["may_correct"] = is_rated and self.may_decide(request, kind)
        return super().render_change_form(request, context, add, change, form_url, obj)
