"""Admin pages of a league's players, and of their starting figures for a season."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from foa.web.admin_history import HistoryAdmin
from ratings.league.admin.base import LeagueInputAdmin
from ratings.league.admin.correcting import CorrectableAdmin
from ratings.league.forms import EntryForm
from ratings.league.models import Player, SquadPlayer
from ratings.league.services.squads import boards_of


@admin.register(Player)
class PlayerAdmin(LeagueInputAdmin[Player]):
    """A player of a league, and the member who they are."""

    list_display = ("name", "league", "member")
    list_filter = ("league", ("member", admin.EmptyFieldListFilter))
    list_select_related = ("league", "member")
    sortable_by = ("name",)
    search_fields = ("name",)
    search_help_text = _("Part of a name")
    autocomplete_fields = ("member",)
    fields = ("league", "name", "member")

    def get_readonly_fields(self, request: HttpRequest, obj: Player | None = None) -> tuple[str, ...]:
        """Make the league permanent, because the player's squads and boards are in it."""
        return () if obj is None else ("league",)


@admin.register(SquadPlayer)
class SquadPlayerAdmin(CorrectableAdmin[SquadPlayer], HistoryAdmin[SquadPlayer]):
    """A player's entry in the squad of a season."""

    decisions = {"<int:squadplayer>/correct": "correct-squad-entry"}
    form = EntryForm
    list_display = ("player", "season", "team", "rating", "games", "captains_estimate")
    list_filter = ("season", "captains_estimate")
    list_select_related = ("player", "season", "team")
    sortable_by = ()
    search_fields = ("player__name", "team__name")
    search_help_text = _("Part of the name of a player or team")
    autocomplete_fields = ("player",)
    fields = ("player", "team", ("rating", "games"), "captains_estimate")

    def get_readonly_fields(self, request: HttpRequest, obj: SquadPlayer | None = None) -> tuple[str, ...]:
        """Make the player permanent: another player needs another entry."""
        return () if obj is None else ("player",)

    def has_delete_permission(self, request: HttpRequest, obj: SquadPlayer | None = None) -> bool:
        """Refuse to delete the entry of a player who has played, because boards refer to it."""
        return super().has_delete_permission(request, obj) and (obj is None or not boards_of(obj).exists())
