"""Over-the-board tournaments: registration, reports and rated results."""

from __future__ import annotations

from typing import Self

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from foa.text import date_text, utc
from ratings.office.fields import HundredthsField, user_field
from ratings.otb.models.refusals import Refusal
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import TournamentType

# Without a context, which what is stored doesn't keep (foa/said.py).
CHAPTER_NAMES = {
    Chapter.STANDARD: _("standard"),
    Chapter.RAPID: _("rapid"),
    Chapter.BLITZ: _("blitz"),
}
CHAPTER_CHOICES = [(chapter.value, name) for chapter, name in CHAPTER_NAMES.items()]

KIND_NAMES = {
    TournamentType.SWISS: _("Swiss"),
    TournamentType.ROUND_ROBIN: _("Round robin"),
    TournamentType.TEAM: pgettext_lazy("kind of tournament", "Team"),
    TournamentType.MATCH: _("Match"),
}
KIND_CHOICES = [(kind.value, name) for kind, name in KIND_NAMES.items()]


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def to_be_rated(self) -> Self:
        """Return those that can be rated once received: they weren't announced as unrated (B.02 9.2).

        A league that is rated period by period is rated in its parts, unless it is refused (4.13).
        """
        of_league = Q(part_of__announced_unrated=True) | Q(part_of__status=Tournament.Status.REFUSED)
        return self.filter(announced_unrated=False, by_period=False).exclude(of_league)

    def with_report(self) -> Self:
        """Join the league and the report that counts, without the file itself."""
        return self.select_related("report", "part_of").defer("report__content")


class Tournament(models.Model):
    """B.02 0.4: a tournament that a federation has registered. Its games are in the report, once it is here.

    The fields are what B.02 asks about a tournament, apart from players and games.
    """

    class Status(models.IntegerChoices):
        """States of a tournament."""

        REGISTERED = 1, pgettext_lazy("of a tournament", "registered")
        RECEIVED = 2, pgettext_lazy("of a tournament", "received")
        REFUSED = 3, pgettext_lazy("of a tournament", "refused")
        RATED = 4, pgettext_lazy("of a tournament", "rated")

    name = models.CharField(pgettext_lazy("of a tournament", "name"), max_length=150)
    city = models.CharField(_("city"), max_length=100, blank=True)
    federation = models.CharField(
        _("federation"), max_length=3, blank=True, help_text=_("Where it is played; FIDE code.")
    )
    kind = models.SmallIntegerField(_("kind"), choices=KIND_CHOICES, default=TournamentType.SWISS.value)
    chapter = models.SmallIntegerField(
        _("rating type"),
        choices=CHAPTER_CHOICES,
        default=Chapter.STANDARD.value,
        db_default=Chapter.STANDARD.value,
        help_text=_("Determines which ratings change; depends on the time control (1.1)."),
    )
    first_day = models.DateField(_("first day"))
    last_day = models.DateField(_("last day"))
    time_control = models.CharField(
        _("time control"),
        max_length=60,
        blank=True,
        help_text=_(
            "As in a report: 40/5400+30:1800+30 means 90 minutes for 40 moves, then 30 minutes, "
            "with 30 seconds per move (B.02 1.1)."
        ),
    )
    other_laws = models.CharField(
        _("changes to the laws of chess"),
        max_length=255,
        blank=True,
        default="",
        db_default="",
        help_text=_(
            "How the games differed from FIDE’s laws. This needs the consent of FIDE’s Technical "
            "Commission (B.02 2.1). Shown publicly."
        ),
    )
    planned_games = models.PositiveSmallIntegerField(
        _("planned games"), null=True, blank=True, help_text=_("For a match only (B.02 6.5).")
    )
    rated_to_the_end = models.BooleanField(
        _("rate games after the match is decided"),
        default=False,
        db_default=False,
        help_text=_("Only if the organizer asked for this in advance (6.2)."),
    )
    official = models.BooleanField(
        _("official FIDE tournament"), default=False, help_text=_("Listed in the FIDE Handbook (B.02 0.3).")
    )
    league = models.BooleanField(_("league"), default=False, help_text=_("May last longer (B.02 4.11)."))
    national_championship = models.BooleanField(
        _("national championship"), default=False, help_text=_("See B.02 6.33.")
    )
    women_only = models.BooleanField(_("women only"), default=False, help_text=_("See B.02 6.33."))
    team_championship = models.BooleanField(
        _("olympiad or team championship"),
        default=False,
        help_text=_("World or continental: seven games are enough for a first rating (B.02 7.14(f))."),
    )
    registered_on = models.DateField(
        _("registered on"),
        null=True,
        blank=True,
        help_text=_("At least a month before the first day (B.02 0.4)."),
    )
    announced_unrated = models.BooleanField(
        _("announced as unrated"),
        default=False,
        help_text=_(
            "Announced in the invitation, and to the players before the first round (B.02 9.2). We take "
            "its reports but never rate them."
        ),
    )
    by_period = models.BooleanField(
        _("rated period by period"),
        default=False,
        help_text=_(
            "For a league: each game is rated with the ratings in force on the day it is played. Choose "
            "this before the first round (B.02 4.13). If you don’t, all games are rated with the ratings "
            "of the first day."
        ),
    )
    part_of = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.CASCADE,
        related_name="parts",
        verbose_name=_("part of"),
        help_text=_("The league that this part belongs to; it covers one period (B.02 4.13)."),
    )
    status = models.SmallIntegerField(
        _("status"), choices=Status, default=Status.REGISTERED.value, editable=False
    )
    report = models.ForeignKey(
        "TournamentReport",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
        verbose_name=_("report"),
        help_text=_("The report that counts."),
    )
    rated_for = models.DateField(
        _("rated for"),
        null=True,
        blank=True,
        editable=False,
        db_index=True,
        help_text=_("Date of the list it was rated for."),
    )
    stage_of = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="stages",
        verbose_name=_("stage of"),
        help_text=_(
            "The first stage of the same event. All stages are rated together, for the same list as the "
            "last stage (B.02 6.2)."
        ),
    )

    objects = TournamentQuerySet.as_manager()

    class Meta:
        db_table = "fide_tournament"
        verbose_name = _("tournament")
        verbose_name_plural = _("tournaments")
        ordering = ("-last_day", "-first_day", "-pk")
        permissions = [
            ("receive_tournament", "Can import tournament reports"),
            ("judge_tournament", "Can accept findings and refuse tournaments"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(last_day__gte=F("first_day")),
                name="tournament_ends_after_it_begins",
                violation_error_message=_("The last day is before the first."),
            ),
            models.CheckConstraint(
                condition=Q(status=1, report=None) | Q(status=3) | Q(status__in=(2, 4), report__isnull=False),
                name="tournament_with_its_report",
            ),
            models.CheckConstraint(
                condition=Q(status=4, rated_for__isnull=False) | Q(~Q(status=4), rated_for=None),
                name="tournament_rated_for_a_list",
            ),
            models.CheckConstraint(
                condition=Q(stage_of=None) | ~Q(stage_of=F("pk")),
                name="tournament_no_stage_of_itself",
                violation_error_message=_("A tournament can’t be a later stage of itself."),
            ),
            models.CheckConstraint(
                condition=Q(by_period=False) | Q(league=True),
                name="tournament_by_period_is_a_league",
                violation_error_message=_("Only a league can be rated period by period (B.02 4.11, 4.13)."),
            ),
            # What is rated of such a league are its parts, each with one list.
            models.CheckConstraint(
                condition=Q(by_period=False) | (~Q(status=4) & Q(part_of=None)),
                name="tournament_by_period_in_parts",
            ),
        ]
        indexes = [
            models.Index(fields=["-last_day", "-first_day", "-id"], name="tournament_by_day"),
            # What a period takes, and what waits.
            models.Index(fields=["status", "last_day"], name="tournament_by_status"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({date_text(self.first_day)})"

    def get_absolute_url(self) -> str:
        return reverse("otb:tournament", args=(self.pk,))

    def clean(self) -> None:
        """B.02 6.2: refuse a second first stage of an event, and a stage added after that was rated."""
        if (first := self.stage_of) is None:
            return
        fault = None
        if self.by_period or first.by_period:
            fault = _("A league that is rated period by period can’t have stages (B.02 4.13).")
        elif first.pk == self.pk:
            fault = _("A tournament can’t be a later stage of itself.")
        elif first.stage_of_id is not None:
            fault = _("This is a later stage itself. Choose the first stage of the event.")
        elif self.pk is not None and self.stages.exists():
            fault = _(
                "This tournament is the first stage of an event, so it can’t be a later stage of another one."
            )
        elif self.chapter != first.chapter:
            fault = _("All stages of an event must have the same rating type: standard, rapid or blitz.")
        elif self.first_day is not None and self.first_day < first.first_day:
            fault = _(
                "This stage starts before the first stage. Register the first stage of the event first."
            )
        elif first.status == self.Status.RATED:
            fault = _(
                "The first stage has already been rated. Stages must be registered before that (B.02 6.2)."
            )
        if fault is not None:
            raise ValidationError({"stage_of": fault})

    @property
    def status_slug(self) -> str:
        """Name of the status, the same in all languages."""
        return self.Status(self.status).name.lower()

    @property
    def is_to_be_rated(self) -> bool:
        """True if it can be rated, as :meth:`TournamentQuerySet.to_be_rated` says (B.02 4.13, 9.2)."""
        if self.announced_unrated or self.by_period:
            return False
        league = self.part_of
        return league is None or not (league.announced_unrated or league.status == self.Status.REFUSED)

    @property
    def event(self) -> int:
        """B.02 6.2: the number of the first stage; of most tournaments, their own."""
        return self.stage_of_id or self.pk

    @property
    def refusal(self) -> Refusal | None:
        """B.02 0.5: the refusal that stands, if there is one."""
        return self.refusals.filter(ended_on=None).first()


class TournamentReport(models.Model):
    """A report as it was received, byte for byte. It stays when a later one takes its place.

    ``records``: every line except those of players, as :mod:`ratings.otb.services.rows` writes them. None
    unless the rows of players and games are those of this report.
    """

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="reports", verbose_name=_("tournament")
    )
    source = models.CharField(_("source"), max_length=255, help_text=_("Name of the file."))
    content = models.BinaryField(_("content"))
    sha256 = models.CharField("SHA-256", max_length=64, db_index=True)
    players = models.PositiveIntegerField(
        _("players"), default=0, help_text=_("Number of players in the report, for the fees (B.02 0.3).")
    )
    skip_unknown_federations = models.BooleanField(
        _("leave out unknown federations"),
        default=False,
        help_text=_("Otherwise the report is refused if any player’s federation isn’t a FIDE federation."),
    )
    records = models.JSONField(_("other lines"), null=True, editable=False)
    received_at = models.DateTimeField(_("received at"))
    received_by = user_field(_("received by"), blank=True)

    class Meta:
        db_table = "fide_tournamentreport"
        verbose_name = _("tournament report")
        verbose_name_plural = _("tournament reports")
        ordering = ("tournament", "-pk")

    def __str__(self) -> str:
        return f"{self.source}, {utc(self.received_at)}"


class AcceptedFinding(models.Model):
    """Consent to a finding for which B.02 allows it (0.4, 4.12), with the reason."""

    tournament = models.ForeignKey(
        Tournament,
        on_delete=models.CASCADE,
        related_name="accepted",
        verbose_name=_("tournament"),
        db_index=False,
    )
    finds = models.SmallIntegerField(_("finding"))
    reason = models.CharField(_("reason"), max_length=500)
    accepted_at = models.DateTimeField(_("accepted at"))
    accepted_by = user_field(_("accepted by"), blank=True)

    class Meta:
        db_table = "fide_acceptedfinding"
        verbose_name = _("accepted finding")
        verbose_name_plural = _("accepted findings")
        ordering = ("tournament", "finds")
        constraints = [models.UniqueConstraint(fields=["tournament", "finds"], name="finding_accepted_once")]

    def __str__(self) -> str:
        return f"{self.tournament}: {self.reason}"


class AssociationMember(models.Model):
    """B.02 7.14(g): a player for whose first rating seven games are enough."""

    class Association(models.TextChoices):
        """FIDE's associations of disabled players."""

        IBCA = "IBCA", _("IBCA (blind)")
        ICSC = "ICSC", _("ICSC (deaf)")
        IPCA = "IPCA", _("IPCA (physically disabled)")

    fide_id = models.IntegerField(_("FIDE ID"), unique=True)
    association = models.CharField(_("association"), max_length=4, choices=Association)
    since = models.DateField(
        _("from"), default=timezone.localdate, help_text=_("Counts for lists from this day on.")
    )

    class Meta:
        db_table = "fide_associationmember"
        verbose_name = _("disability association member")
        verbose_name_plural = _("disability association members")
        ordering = ("fide_id",)

    def __str__(self) -> str:
        return f"{self.fide_id} ({self.association})"


class TournamentResult(models.Model):
    """Result of a player in a rated tournament: a projection of its report under B.02, never edited.

    The input of the rules (``rating``, ``k``, ``later_rating``, ``earlier_result``: see ``rules.b02.types``)
    is kept with their output, so that the player's page shows the very same figures.
    ``expected`` and ``change`` in points, exact. ``new_…``: the result of a player without a rating, as 7.14
    and 8.3 need it later.
    """

    tournament = models.ForeignKey(
        Tournament,
        on_delete=models.CASCADE,
        related_name="results",
        db_index=False,
        verbose_name=_("tournament"),
    )
    number = models.PositiveSmallIntegerField(_("start number"))
    fide_id = models.IntegerField(_("FIDE ID"), null=True)
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=150)
    rating = models.SmallIntegerField(_("rating"), null=True, help_text=_("On the list in force."))
    k = models.SmallIntegerField("K", null=True)
    later_rating = models.SmallIntegerField(_("later rating"), null=True, help_text=_("See B.02 8.4."))
    earlier_result = models.BooleanField(_("earlier result"), default=False)
    outcome = models.SmallIntegerField(_("outcome"))
    rated_games = models.SmallIntegerField(_("rated games"), default=0)
    half_points = models.SmallIntegerField(_("half points"), default=0)
    average = models.SmallIntegerField(
        _("average"), null=True, help_text=_("The opponents’ average rating, Rc.")
    )
    expected = HundredthsField(_("expected score"), null=True)
    change = HundredthsField(_("change"), null=True)
    new_rating = models.SmallIntegerField("Ru", null=True)
    new_games = models.SmallIntegerField(_("games of the result"), null=True)
    new_half_points = models.SmallIntegerField(_("half points of the result"), null=True)
    new_opponents_sum = models.IntegerField(_("sum of the opponents’ ratings"), null=True)
    new_opponents = models.SmallIntegerField(_("opponents in a round robin"), null=True)
    why_not_first = models.SmallIntegerField(_("why it isn’t a first result"), null=True)

    class Meta:
        db_table = "fide_tournamentresult"
        verbose_name = _("tournament result")
        verbose_name_plural = _("tournament results")
        ordering = ("tournament", "number")
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="tournament_result_once")
        ]
        # The card of a player, and the results that a first rating is made of (7.14).
        indexes = [models.Index(fields=["fide_id", "tournament"], name="tournament_result_of_player")]

    def __str__(self) -> str:
        return gettext("%(tournament)s: %(name)s") % {"tournament": self.tournament, "name": self.name}
