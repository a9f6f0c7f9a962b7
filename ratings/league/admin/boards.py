"""Boards one by one: corrected with a reason once their cycle is closed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin_history import HistoryAdmin
from ratings.league.admin.base import numbered
from ratings.league.admin.correcting import CorrectableAdmin, CorrectionForm
from ratings.league.models import Board, Cycle, CycleList, Match, Player, SquadPlayer, Team
from ratings.league.services import rounds

Choices = list[tuple[int | str, str]]


def closed_cycle_of(match: Match) -> Cycle | None:
    """The closed cycle that was rated with a match, None while it is open."""
    cycle = rounds.cycle_of(match.season, match.round)
    return None if cycle is None or cycle.closed_at is None else cycle


class Squads:
    """Who can play in a match, read once for all of its boards."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.sides: dict[str, tuple[Any, Choices]] = {
            "home_player": _squad(match.home_team),
            "away_player": _squad(match.away_team),
        }

    def offer(self, form: forms.BaseForm) -> None:
        """Offer each side its own squad; who is in no squad is entered there first."""
        for name, (players, choices) in self.sides.items():
            field: Any = form.fields[name]
            field.queryset = players
            field.widget = forms.Select(attrs=field.widget.attrs, choices=choices)


def _squad(team: Team) -> tuple[Any, Choices]:
    players = Player.objects.filter(
        pk__in=SquadPlayer.objects.filter(team=team, season=team.season_id).values("player")
    )
    return players, [("", "---------"), *players.order_by("name").values_list("pk", "name")]


class BoardForm(forms.ModelForm):  # type: ignore[type-arg]  # Django refuses one at run time
    """A board of a match whose squads are known."""

    class Meta:
        model = Board
        fields = ("number", "home_player", "away_player", "result")

    squads: Squads

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "number" in self.fields:
            numbered(self.fields["number"])
        for side in ("home_player", "away_player"):
            if side in self.fields:
                self.fields[side].error_messages["invalid_choice"] = _(
                    "He is not in the squad of this team. Enter him there first; a new player begins with a "
                    "captain’s estimate."
                )

    def offer(self, squads: Squads) -> None:
        """Say in which match it is; nobody else is offered."""
        self.squads = squads
        if "home_player" in self.fields:
            squads.offer(self)

    def clean(self) -> dict[str, Any] | None:
        """Nobody plays twice in a round. Boards of the same match are compared by their formset."""
        match, cleaned = self.squads.match, self.cleaned_data
        for side in ("home_player", "away_player"):
            if (player := cleaned.get(side)) is None:
                continue
            boards = Board.objects.filter(match__season=match.season_id, match__round=match.round)
            others = boards.exclude(match=match).filter(Q(home_player=player) | Q(away_player=player))
            if other := others.select_related("match__home_team", "match__away_team").first():
                told = gettext("%(player)s plays in this round already: board %(board)d of %(match)s.")
                words = {"player": player, "board": other.number, "match": other.match}
                self.add_error(side, told % words)
        return super().clean()


class _SingleBoardForm(BoardForm):
    """A board on a page of its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer(Squads(self.instance.match))

    def clean(self) -> dict[str, Any] | None:
        """What a formset would compare it with: the other boards of the match."""
        cleaned = self.cleaned_data
        others = self.squads.match.boards.exclude(pk=self.instance.pk)
        if others.filter(number=cleaned.get("number", self.instance.number)).exists():
            self.add_error("number", gettext("The match has another board with this number."))
        for side in ("home_player", "away_player"):
            player = cleaned.get(side)
            if player and (other := others.filter(Q(home_player=player) | Q(away_player=player)).first()):
                told = gettext("%(player)s plays board %(board)d of this match.")
                self.add_error(side, told % {"player": player, "board": other.number})
        return super().clean()


class BoardCorrection(CorrectionForm, _SingleBoardForm):
    """Who really played, and how it really ended."""

    class Meta:
        model = Board
        fields = ("home_player", "away_player", "result")


@admin.register(Board)
class BoardAdmin(CorrectableAdmin[Board], HistoryAdmin[Board]):
    """A board. It is entered on the page of its match."""

    form = _SingleBoardForm
    correction_form = BoardCorrection
    list_display = ("match", "number", "home_player", "away_player", "result")
    list_filter = ("match__season", "result")
    list_select_related = ("match__home_team", "match__away_team", "home_player", "away_player")
    sortable_by = ()
    search_fields = ("home_player__name", "away_player__name")
    search_help_text = _("Part of a player’s name")
    fields = ("match", "number", ("home_player", "away_player"), "result")
    readonly_fields = ("match",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never here: without its match nobody knows who can play."""
        return False

    def rated_in(self, obj: Board) -> Cycle | None:
        """That of its round."""
        return closed_cycle_of(obj.match)

    def correct(self, obj: Board, *, at: datetime, by: Any, reason: str) -> list[CycleList]:
        """Store who played and the result, and rate again."""
        return rounds.correct(
            obj, result=obj.result, home_player=obj.home_player, away_player=obj.away_player, reason=reason,
            by=by, at=at,
        )  # fmt: skip
