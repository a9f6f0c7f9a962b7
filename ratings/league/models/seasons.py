"""Inputs of the league: seasons, squads, matches and their boards."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.history import ChangeHistory
from members.models import Member
from ratings.office.fields import HundredthsField
from ratings.rules.bal.cycles import PROVISIONAL_LIMIT, BoardResult, MatchStage, results_of


class League(models.Model):
    """A team league with ratings of its own.

    ``provisional_limit``: number of games before a cycle that make a rating established. The rules give no
    number, so it is an assumption, and a setting.
    """

    name = models.CharField(pgettext_lazy("of a league", "name"), max_length=100, unique=True)
    provisional_limit = models.PositiveSmallIntegerField(
        _("provisional limit"),
        default=PROVISIONAL_LIMIT,
        help_text=_("Games before a cycle that make a rating established. The rules name none: assumed."),
    )

    class Meta:
        verbose_name = _("league")
        verbose_name_plural = _("leagues")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Season(models.Model):
    """A season of a league. Its cycles say after which rounds ratings are calculated.

    ``ordinal``: the order of the league's seasons, in which ratings are carried over.
    """

    league = models.ForeignKey(
        League, on_delete=models.PROTECT, related_name="seasons", verbose_name=_("league")
    )
    name = models.CharField(pgettext_lazy("of a season", "name"), max_length=50, unique=True)
    ordinal = models.PositiveSmallIntegerField(_("place in the order of seasons"))

    class Meta:
        verbose_name = _("season")
        verbose_name_plural = _("seasons")
        ordering = ("league", "-ordinal")
        constraints = [models.UniqueConstraint(fields=["league", "ordinal"], name="season_order")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("league:season", args=(self.pk,))


class Team(models.Model):
    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="teams", db_index=False, verbose_name=_("season")
    )
    name = models.CharField(pgettext_lazy("of a team", "name"), max_length=100)

    class Meta:
        verbose_name = _("team")
        verbose_name_plural = _("teams")
        ordering = ("season", "name")
        constraints = [models.UniqueConstraint(fields=["season", "name"], name="team_once")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("league:team", args=(self.pk,))


class Player(models.Model):
    """A player of a league, season after season, with the member who they are, if any."""

    league = models.ForeignKey(
        League, on_delete=models.PROTECT, related_name="players", db_index=False, verbose_name=_("league")
    )
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=100)
    member = models.ForeignKey(
        Member,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="league_players",
        verbose_name=_("member"),
    )

    class Meta:
        verbose_name = _("league player")
        verbose_name_plural = _("league players")
        ordering = ("league", "name")
        constraints = [
            models.UniqueConstraint(fields=["league", "name"], name="league_player_once"),
            models.UniqueConstraint(fields=["league", "member"], name="league_member_once"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("league:player", args=(self.pk,))


class SquadPlayer(models.Model):
    """A player of a season: team and rating at the start.

    ``rating`` and ``games``: None if they are carried over from the league's last cycle before.
    ``captains_estimate``: a new player, who starts at 1300 with no games; ``rating`` is then the captain's
    estimate and isn't used.
    """

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="squads", db_index=False, verbose_name=_("season")
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="squads", verbose_name=_("player")
    )
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="squad", verbose_name=_("team"))
    rating = HundredthsField(
        _("rating"), null=True, blank=True, help_text=_("At the start; empty: as the cycle before left it.")
    )
    games = models.PositiveIntegerField(
        _("games"), null=True, blank=True, help_text=_("At the start; empty: as the cycle before left them.")
    )
    captains_estimate = models.BooleanField(
        _("captain’s estimate"), default=False, help_text=_("New: taken at 1300 on zero games.")
    )

    history = ChangeHistory()

    class Meta:
        verbose_name = _("squad player")
        verbose_name_plural = _("squad players")
        ordering = ("season", "team", "player")
        constraints = [
            models.UniqueConstraint(fields=["season", "player"], name="squad_player_once"),
            models.CheckConstraint(
                condition=Q(captains_estimate=True, games__isnull=True)
                | Q(captains_estimate=True, games=0)
                | Q(captains_estimate=False, rating__isnull=True, games__isnull=True)
                | Q(captains_estimate=False, rating__isnull=False, games__isnull=False),
                name="squad_player_begins",
                violation_error_message=_(
                    "Rating and games go together; a captain’s estimate has no games behind it."
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} ({self.team})"


STAGE_NAMES: Final = {
    MatchStage.PLAYOFF: _("play-off"),
    MatchStage.QUARTER_FINAL: _("quarter-final"),
    MatchStage.SEMI_FINAL: _("semi-final"),
    MatchStage.THIRD_PLACE: _("match for third place"),
    MatchStage.FINAL: _("final"),
}
"""Names of the stages of the play-offs; a match of the schedule has none."""


class Match(models.Model):
    """A match of two teams in a round.

    ``stage``: of the play-offs, whose matches aren't in the table. Ratings don't depend on it.
    """

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="matches", db_index=False, verbose_name=_("season")
    )
    round = models.PositiveSmallIntegerField(_("round"))
    home_team = models.ForeignKey(
        Team, on_delete=models.PROTECT, related_name="home_matches", verbose_name=_("home team")
    )
    away_team = models.ForeignKey(
        Team, on_delete=models.PROTECT, related_name="away_matches", verbose_name=_("away team")
    )
    stage = models.CharField(
        _("stage of the play-offs"),
        max_length=20,
        blank=True,
        default="",
        db_default="",
        choices=[(stage.value, name) for stage, name in STAGE_NAMES.items()],
        help_text=_("Empty for a match of the schedule. Play-offs are not in the table."),
    )

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        ordering = ("season", "round", "pk")
        constraints = [
            models.UniqueConstraint(fields=["season", "round", "home_team"], name="home_team_once_a_round"),
            models.UniqueConstraint(fields=["season", "round", "away_team"], name="away_team_once_a_round"),
            models.CheckConstraint(condition=~Q(home_team=F("away_team")), name="team_not_against_itself"),
        ]

    def __str__(self) -> str:
        return f"{self.round}: {self.home_team} – {self.away_team}"


def _with_players(*, home: bool, away: bool) -> Q:
    """Match boards with players on exactly these sides, and a result that they can have."""
    results = [result.value for result in results_of(home=home, away=away)]
    return Q(home_player__isnull=not home, away_player__isnull=not away, result__in=results)


NOBODY: Final = "–"
"""Text shown for a missing player of a board."""

WITHOUT_PLAYER: Final = _(
    "A board without a player isn’t played. The team with a player wins it by forfeit, or both lose it."
)


class Board(models.Model):
    """A game of a match. A player is None if the team had nobody for the board, or they didn't come."""

    match = models.ForeignKey(
        Match, on_delete=models.CASCADE, related_name="boards", db_index=False, verbose_name=_("match")
    )
    number = models.PositiveSmallIntegerField(_("board"))
    home_player = models.ForeignKey(
        Player,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="home_boards",
        verbose_name=_("home player"),
    )
    away_player = models.ForeignKey(
        Player,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="away_boards",
        verbose_name=_("away player"),
    )
    result = models.CharField(
        _("result"), max_length=7, choices=[(result.value, result.value) for result in BoardResult]
    )

    history = ChangeHistory()

    class Meta:
        verbose_name = _("board")
        verbose_name_plural = _("boards")
        ordering = ("match", "number")
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="board_once"),
            models.CheckConstraint(
                condition=~Q(home_player=F("away_player")), name="player_not_against_himself"
            ),
            models.CheckConstraint(
                condition=Q(result__in=[result.value for result in BoardResult]), name="board_result"
            ),
            # A board without a player isn't played, so it is never rated.
            models.CheckConstraint(
                condition=_with_players(home=True, away=True)
                | _with_players(home=True, away=False)
                | _with_players(home=False, away=True)
                | _with_players(home=False, away=False),
                name="board_without_player",
                violation_error_message=WITHOUT_PLAYER,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.home_player or NOBODY} – {self.away_player or NOBODY} {self.result}"
