"""Admin pages of single boards. Once their cycle is closed, they are corrected by a decision."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from foa.web.admin_history import HistoryAdmin
from ratings.league.admin.correcting import CorrectableAdmin
from ratings.league.forms import SingleBoardForm
from ratings.league.models import Board


@admin.register(Board)
class BoardAdmin(CorrectableAdmin[Board], HistoryAdmin[Board]):
    """A board. It is entered on the page of its match."""

    decisions = {"<int:board>/correct": "correct-board"}
    form = SingleBoardForm
    list_display = ("match", "number", "home_player", "away_player", "result")
    list_filter = ("match__season", "result")
    list_select_related = ("match__home_team", "match__away_team", "home_player", "away_player")
    sortable_by = ()
    search_fields = ("home_player__name", "away_player__name")
    search_help_text = _("Part of a player’s name")
    fields = ("match", "number", ("home_player", "away_player"), "result")
    readonly_fields = ("match",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: boards are added on the page of their match, which knows who can play."""
        return False
