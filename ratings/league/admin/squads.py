"""Players of a league, and with what they begin a season."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin_history import HistoryAdmin
from ratings.league.admin.base import LeagueInputAdmin, with_season
from ratings.league.admin.correcting import CorrectableAdmin, CorrectionForm
from ratings.league.models import Board, Cycle, CycleList, Player, SquadPlayer
from ratings.league.services.corrections import correct_entry, first_closed_of_entry

_HIGHEST: Final = 4000
_MOST_GAMES: Final = 99_999


@admin.register(Player)
class PlayerAdmin(LeagueInputAdmin[Player]):
    """A player of a league, and which member he is."""

    list_display = ("name", "league", "member")
    list_filter = ("league", ("member", admin.EmptyFieldListFilter))
    list_select_related = ("league", "member")
    sortable_by = ("name",)
    search_fields = ("name",)
    search_help_text = _("Part of a name")
    autocomplete_fields = ("member",)
    fields = ("league", "name", "member")

    def get_readonly_fields(self, request: HttpRequest, obj: Player | None = None) -> tuple[str, ...]:
        """He stays in his league: his squads and boards are there."""
        return () if obj is None else ("league",)


class EntryForm(forms.ModelForm):  # type: ignore[type-arg]  # Django refuses one at run time
    """For whom somebody plays, and with what he begins; the season is that of the team."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, highest in (("rating", _HIGHEST), ("games", _MOST_GAMES)):
            if name in self.fields:
                self.fields[name].validators += [MinValueValidator(0), MaxValueValidator(highest)]
        if "team" in self.fields:
            team: Any = self.fields["team"]
            team.queryset = team.queryset.select_related("season").order_by(
                "-season__ordinal", "season", "name"
            )
            team.label_from_instance = with_season
            if self.instance.pk:
                team.queryset = team.queryset.filter(season=self.instance.season_id)

    def clean(self) -> dict[str, Any] | None:
        """One team in a season; a rating to begin with, or one to carry over."""
        cleaned = super().clean() or self.cleaned_data
        entry = self.instance
        player, team = cleaned.get("player", getattr(entry, "player", None)), cleaned.get("team")
        if player is None or team is None:
            return cleaned
        if entry.pk and entry.team_id != team.pk and _boards(entry).exists():
            self.add_error("team", gettext("He has played for his team: he stays there for the season."))
        season = entry.season = team.season
        if player.league_id != season.league_id:
            self.add_error("team", gettext("The team plays in another league than the player."))
        entries = SquadPlayer.objects.filter(season=season, player=player)
        if other := entries.exclude(pk=entry.pk).select_related("team").first():
            told = gettext("He is in the squad of %(team)s already.")
            self.add_error("player" if "player" in self.fields else None, told % {"team": other.team})
        earlier = SquadPlayer.objects.filter(player=player, season__ordinal__lt=season.ordinal)
        says_nothing = cleaned.get("rating") is None and not cleaned.get("captains_estimate")
        if says_nothing and not earlier.exists():
            raise ValidationError(
                _("No season before can leave him a rating. Give rating and games, or a captain’s estimate.")
            )
        return cleaned


class EntryCorrection(CorrectionForm, EntryForm):
    """With what he really began, and for whom he plays."""

    class Meta:
        model = SquadPlayer
        fields = ("team", "rating", "games", "captains_estimate")


@admin.register(SquadPlayer)
class SquadPlayerAdmin(CorrectableAdmin[SquadPlayer], HistoryAdmin[SquadPlayer]):
    """A player of a season."""

    form = EntryForm
    correction_form = EntryCorrection
    list_display = ("player", "season", "team", "rating", "games", "captains_estimate")
    list_filter = ("season", "captains_estimate")
    list_select_related = ("player", "season", "team")
    sortable_by = ()
    search_fields = ("player__name", "team__name")
    search_help_text = _("Part of the name of a player or team")
    autocomplete_fields = ("player",)
    fields = ("player", "team", ("rating", "games"), "captains_estimate")

    def get_readonly_fields(self, request: HttpRequest, obj: SquadPlayer | None = None) -> tuple[str, ...]:
        """Somebody else is another entry."""
        return () if obj is None else ("player",)

    def has_delete_permission(self, request: HttpRequest, obj: SquadPlayer | None = None) -> bool:
        """Not of who has played: his boards would be nobody's."""
        return super().has_delete_permission(request, obj) and (obj is None or not _boards(obj).exists())

    def rated_in(self, obj: SquadPlayer) -> Cycle | None:
        """The first with him on its list: ratings go on from what they began with."""
        return first_closed_of_entry(obj)

    def correct(self, obj: SquadPlayer, *, at: datetime, by: Any, reason: str) -> list[CycleList]:
        """Store it and rate again."""
        return correct_entry(obj, at=at, by=by, reason=reason)


def _boards(entry: SquadPlayer) -> QuerySet[Board]:
    boards = Board.objects.filter(match__season=entry.season_id)
    return boards.filter(Q(home_player=entry.player_id) | Q(away_player=entry.player_id))
