"""Forms for a league's inputs, on admin pages and in corrections."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.league.models import Board, Match, Player, SquadPlayer, Team
from ratings.league.services.squads import boards_of

LARGEST_NUMBER: Final = 99
"""Maximum number of a round or board; a higher one is taken for a typing error."""

_HIGHEST: Final = 4000
_MOST_GAMES: Final = 99_999

Choices = list[tuple[int | str, str]]


def numbered(field: forms.Field) -> None:
    """Limit a field to the numbers of rounds and boards: 1 to LARGEST_NUMBER."""
    field.validators += [MinValueValidator(1), MaxValueValidator(LARGEST_NUMBER)]
    field.widget.attrs |= {"min": 1, "max": LARGEST_NUMBER}


def with_season(team: Team) -> str:
    """Name a team with its season."""
    return f"{team.season}: {team}"


class Squads:
    """The players who can play in a match, read once for all of its boards."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.sides: dict[str, tuple[Any, Choices]] = {
            "home_player": _squad(match.home_team),
            "away_player": _squad(match.away_team),
        }

    def offer(self, form: forms.BaseForm) -> None:
        """Offer each side its own squad. Anybody else has to be entered in a squad first."""
        for name, (players, choices) in self.sides.items():
            field: Any = form.fields[name]
            field.queryset = players
            field.widget = forms.Select(attrs=field.widget.attrs, choices=choices)


def _squad(team: Team) -> tuple[Any, Choices]:
    players = Player.objects.filter(
        pk__in=SquadPlayer.objects.filter(team=team, season=team.season_id).values("player")
    )
    return players, [("", gettext("nobody")), *players.order_by("name").values_list("pk", "name")]


class BoardForm(forms.ModelForm[Board]):
    """Form of a board of a match whose squads are known."""

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
                    "This player isn’t in the team’s squad. Add them first; a new player starts with a "
                    "captain’s estimate."
                )

    def offer(self, squads: Squads) -> None:
        """Set the match, and offer only the players of its squads."""
        self.squads = squads
        if "home_player" in self.fields:
            squads.offer(self)

    def clean(self) -> dict[str, Any] | None:
        """Refuse a player who plays twice in the round. The formset compares boards of the same match."""
        match, cleaned = self.squads.match, self.cleaned_data
        for side in ("home_player", "away_player"):
            if (player := cleaned.get(side)) is None:
                continue
            boards = Board.objects.filter(match__season=match.season_id, match__round=match.round)
            others = boards.exclude(match=match).filter(Q(home_player=player) | Q(away_player=player))
            if other := others.select_related("match__home_team", "match__away_team").first():
                told = gettext("%(player)s already plays in this round: board %(board)d of %(match)s.")
                words = {"player": player, "board": other.number, "match": other.match}
                self.add_error(side, told % words)
        return super().clean()


class SingleBoardForm(BoardForm):
    """Form of a board on a page of its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer(Squads(self.instance.match))

    def clean(self) -> dict[str, Any] | None:
        """Compare the board with the other boards of the match, as a formset would."""
        cleaned = self.cleaned_data
        others = self.squads.match.boards.exclude(pk=self.instance.pk)
        if others.filter(number=cleaned.get("number", self.instance.number)).exists():
            self.add_error("number", gettext("This match already has a board with this number."))
        for side in ("home_player", "away_player"):
            player = cleaned.get(side)
            if player and (other := others.filter(Q(home_player=player) | Q(away_player=player)).first()):
                told = gettext("%(player)s plays board %(board)d of this match.")
                self.add_error(side, told % {"player": player, "board": other.number})
        return super().clean()


class EntryForm(forms.ModelForm[Any]):
    """Form of a player's team and starting figures. The season is that of the team."""

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
        """Require one team in a season, and either a starting rating or one to carry over."""
        cleaned = super().clean() or self.cleaned_data
        entry = self.instance
        player, team = cleaned.get("player", getattr(entry, "player", None)), cleaned.get("team")
        if player is None or team is None:
            return cleaned
        if entry.pk and entry.team_id != team.pk and boards_of(entry).exists():
            self.add_error(
                "team",
                gettext(
                    "This player has already played for their team this season, so they can’t change teams."
                ),
            )
        season = entry.season = team.season
        if player.league_id != season.league_id:
            self.add_error("team", gettext("The team is in a different league from the player."))
        entries = SquadPlayer.objects.filter(season=season, player=player)
        if other := entries.exclude(pk=entry.pk).select_related("team").first():
            told = gettext("This player is already in the squad of %(team)s.")
            self.add_error("player" if "player" in self.fields else None, told % {"team": other.team})
        earlier = SquadPlayer.objects.filter(player=player, season__ordinal__lt=season.ordinal)
        says_nothing = cleaned.get("rating") is None and not cleaned.get("captains_estimate")
        if says_nothing and not earlier.exists():
            raise ValidationError(
                _(
                    "This player has no rating from an earlier season. Enter a rating and games, or a "
                    "captain’s estimate."
                )
            )
        return cleaned
