"""Models of the team league: seasons, squads, matches and boards; rating cycles and their lists."""

from __future__ import annotations

from typing import Final, Self

from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.history import ChangeHistory
from foa.said import gettext
from members.models import Member
from ratings.office.fields import HundredthsField
from ratings.office.publications import NamesMembers, Publication, RevisionQuerySet
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
        help_text=_(
            "With at least this many games before a cycle, a player’s rating is established. The rules "
            "don’t give a number, so this is our assumption."
        ),
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
    ordinal = models.PositiveSmallIntegerField(_("season order"))

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
        _("rating"),
        null=True,
        blank=True,
        help_text=_("At the start. Leave blank to carry it over from the previous cycle."),
    )
    games = models.PositiveIntegerField(
        _("games"),
        null=True,
        blank=True,
        help_text=_("At the start. Leave blank to carry them over from the previous cycle."),
    )
    captains_estimate = models.BooleanField(
        _("captain’s estimate"), default=False, help_text=_("New player: starts at 1300, with 0 games.")
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
                    "Enter a rating and its games together; a captain’s estimate has no games."
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} ({self.team})"


STAGE_NAMES: Final = {
    MatchStage.PLAYOFF: _("play-off"),
    MatchStage.QUARTER_FINAL: _("quarter-final"),
    MatchStage.SEMI_FINAL: _("semi-final"),
    MatchStage.THIRD_PLACE: _("third-place match"),
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
        _("play-off stage"),
        max_length=20,
        blank=True,
        default="",
        db_default="",
        choices=[(stage.value, name) for stage, name in STAGE_NAMES.items()],
        help_text=_("Leave blank for a regular match. Play-offs do not count towards the table."),
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
    "A board with a player missing isn’t played. The team whose player is there wins by forfeit; if both "
    "are missing, both teams lose."
)


RESULT_TEXTS: Final = {
    BoardResult.HOME: "1-0",
    BoardResult.DRAW: "½-½",
    BoardResult.AWAY: "0-1",
    BoardResult.HOME_FORFEIT: "+/−",
    BoardResult.AWAY_FORFEIT: "−/+",
    BoardResult.BOTH_FORFEIT: "−/−",
}
"""Results of a board as pages write them, home player first."""


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
        _("result"), max_length=7, choices=[(result.value, text) for result, text in RESULT_TEXTS.items()]
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
        players = f"{self.home_player or NOBODY} – {self.away_player or NOBODY}"
        return f"{self.number}: {players} {self.get_result_display()}"


class Cycle(models.Model):
    """The rounds after the previous cycle up to ``last_round``, rated as one batch when it is closed."""

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="cycles", db_index=False, verbose_name=_("season")
    )
    number = models.PositiveSmallIntegerField(_("cycle"))
    last_round = models.PositiveSmallIntegerField(_("last round"))
    closed_at = models.DateTimeField(_("closed at"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("cycle")
        verbose_name_plural = _("cycles")
        ordering = ("season", "number")
        constraints = [
            models.UniqueConstraint(fields=["season", "number"], name="cycle_once"),
            models.UniqueConstraint(fields=["season", "last_round"], name="cycle_ends_once"),
        ]

    def __str__(self) -> str:
        return gettext("%(season)s, cycle %(number)d") % {"season": self.season, "number": self.number}


class CycleListQuerySet(RevisionQuerySet["CycleList"]):
    by_age = ("cycle__season__ordinal", "cycle__number", "revision")

    def of(self, cycle: Cycle | int) -> Self:
        """Return the list of this cycle in every revision, the last one first."""
        return self.filter(cycle=cycle).select_related("cycle").newest_first()

    def latest_of(self, cycle: Cycle | int) -> CycleList | None:
        """Return the last revision of this cycle's list, or None."""
        return self.of(cycle).first()

    def of_seasons(self, *seasons: Season | int) -> Self:
        return self.filter(cycle__season__in=seasons).select_related("cycle")

    def of_season(self, key: int) -> Self:
        """Return the lists of the season with this key, from an address: it may be too large for a column."""
        # Unlike “season=”, Django compares “pk=” with what the column can hold.
        return self.filter(cycle__season__pk=key)

    def of_number(self, number: int) -> Self:
        """Return the lists of cycles with this number in their season."""
        return self.filter(cycle__number=number)

    def in_force(self) -> Self:
        """Return the lists that no reopening has withdrawn."""
        return self.filter(reopened_at=None)


class CycleList(NamesMembers, Publication):
    """The ratings after a cycle, as they were published. A correction adds the next revision.

    ``reopened_at``: when the cycle was reopened, which withdrew the list. The list stays as it was published.
    """

    identity = ("cycle_id",)

    cycle = models.ForeignKey(
        Cycle, on_delete=models.PROTECT, related_name="lists", db_index=False, verbose_name=_("cycle")
    )
    reopened_at = models.DateTimeField(_("withdrawn at"), null=True, editable=False)

    objects = CycleListQuerySet.as_manager()

    class Meta:
        verbose_name = _("league list")
        verbose_name_plural = _("league lists")
        ordering = ("-cycle", "-revision")
        permissions = [("close_cyclelist", "Can close league rating cycles")]
        constraints = [models.UniqueConstraint(fields=["cycle", "revision"], name="cycle_list_unique")]

    def __str__(self) -> str:
        return gettext("%(cycle)s, revision %(revision)d") % {"cycle": self.cycle, "revision": self.revision}

    def get_absolute_url(self) -> str:
        cycle = self.cycle
        return reverse("league:list", args=(cycle.season_id, cycle.number, self.revision))


class CycleResultQuerySet(models.QuerySet["CycleResult"]):
    def in_force(self) -> Self:
        """Return the lines of lists that no reopening has withdrawn, in the order of these lists."""
        return self.filter(cycle_list__reopened_at=None).order_by(
            "cycle_list__cycle__season__ordinal", "cycle_list__cycle__number", "cycle_list__revision"
        )


class CycleResult(models.Model):
    """A player's line of a list: a projection of boards and squads, never edited.

    Ratings and gains are points with two decimals. Gains are rounded for the list. The new rating is rounded
    once from the exact figures, which the player's page calculates again. ``new``: None for a new player
    without a game that counts.
    """

    cycle_list = models.ForeignKey(
        CycleList, on_delete=models.CASCADE, related_name="results", db_index=False, verbose_name=_("list")
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="results", verbose_name=_("player")
    )
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=100)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="+", verbose_name=_("team"))
    captains_estimate = models.BooleanField(_("captain’s estimate"), default=False)
    old = HundredthsField(_("old rating"), help_text=_("RO; 1300 for a new player."))
    games_before = models.PositiveIntegerField(_("games before"))
    counted = models.PositiveSmallIntegerField(_("games counted"))
    half_points = models.PositiveSmallIntegerField(_("half points"))
    opponents = HundredthsField(_("sum of the opponents’ ratings"), help_text=_("ΣRo, as counted."))
    k = models.PositiveSmallIntegerField("k", null=True, help_text=_("With the established formula."))
    expected = HundredthsField(_("expected wins"), null=True, help_text=_("ΣWe, rounded for the list."))
    gain = HundredthsField(_("gain"), help_text=_("Before the k adjustment."))
    adjusted = HundredthsField(_("adjusted gain"))
    new = HundredthsField(_("new rating"), null=True)
    games_after = models.PositiveIntegerField(_("games after"))

    objects = CycleResultQuerySet.as_manager()

    class Meta:
        verbose_name = _("cycle result")
        verbose_name_plural = _("cycle results")
        ordering = ("cycle_list", "name", "player")
        constraints = [models.UniqueConstraint(fields=["cycle_list", "player"], name="cycle_result_once")]

    def __str__(self) -> str:
        return f"{self.name}: {self.new}"
