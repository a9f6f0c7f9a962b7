"""Scopes of organizers, and the files that they sent. Nothing here is rated: the office decides about it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, Final, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import date_text, utc
from ratings.league.models import Team
from ratings.office.fields import user_field
from ratings.office.models import FileImport
from ratings.otb.models import RatingAdministrator, Tournament

VALID: Final = timedelta(days=7)
"""Time for which an invitation can be accepted."""


class ScopeQuerySet(models.QuerySet["Scope"]):
    def of(self, user: Any) -> Self:
        """Return the scopes that this login has now: none for staff, who decide about reports."""
        if user.is_staff or not user.is_active:
            return self.none()
        return self.filter(user=user.pk, ended_at=None)

    def administrators_of(self, federation: str, on: date) -> Self:
        """B.02 9.3: return the scope of the administrator whom a federation has designated, if any."""
        found = RatingAdministrator.objects.in_office(federation, on) if federation else None
        if found is None:
            return self.none()
        return self.filter(administrator=found, ended_at=None, user__is_active=True, user__is_staff=False)


class Scope(models.Model):
    """The scope of a login that reports: one tournament, those of a federation, or the matches of a team.

    Until the invitation is accepted there is an address instead of a login. ``administrator``: B.02 9.3, the
    login is that of the federation's rating administrator, who confirms what others send.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.CASCADE,
        related_name="scopes",
        verbose_name=_("login"),
    )
    email = models.EmailField(_("email address"), blank=True)
    language = models.CharField(_("language"), max_length=10, choices=settings.LANGUAGES)
    tournament = models.ForeignKey(
        Tournament,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="scopes",
        verbose_name=_("tournament"),
    )
    federation = models.CharField(_("federation"), max_length=3, blank=True, help_text=_("FIDE’s code."))
    administrator = models.ForeignKey(
        RatingAdministrator,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("rating administrator"),
    )
    team = models.ForeignKey(
        Team, null=True, blank=True, on_delete=models.CASCADE, related_name="scopes", verbose_name=_("team")
    )
    given_by = user_field(_("granted by"), db_index=False)
    given_at = models.DateTimeField(_("granted at"))
    invited_at = models.DateTimeField(_("invited at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)
    ended_by = user_field(_("ended by"), db_index=False)

    objects = ScopeQuerySet.as_manager()

    class Meta:
        verbose_name = _("organizer")
        verbose_name_plural = _("organizers")
        ordering = ("-pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(tournament__isnull=False, federation="", team=None)
                | Q(tournament=None, team=None) & ~Q(federation="")
                | Q(tournament=None, federation="", team__isnull=False),
                name="scope_is_exactly_one",
            ),
            models.CheckConstraint(
                condition=Q(administrator=None) | ~Q(federation=""), name="scope_administrator_of_federation"
            ),
            # An address is kept only as long as nobody has accepted the invitation.
            models.CheckConstraint(
                condition=Q(user__isnull=False, email="") | Q(user=None) & (~Q(email="") | ~Q(ended_at=None)),
                name="scope_has_login_or_address",
            ),
        ]
        indexes = [
            # Invitations to an address, of which there are a few a day, and those that have expired.
            models.Index(fields=["email", "invited_at"], condition=Q(user=None), name="scope_invited"),
        ]

    def __str__(self) -> str:
        """Return a name without the address, because the staff log keeps names."""
        return self.what if self.user is None else f"{self.user}: {self.what}"

    @property
    def what(self) -> str:
        """Name the tournament, federation or team."""
        return str(self.tournament or self.team or self.federation)

    @property
    def state(self) -> Any:
        """Name of the status, in the reader's language."""
        if self.ended_at is not None:
            return _("ended")
        return _("invited") if self.user_id is None else _("active")

    def covers(self, tournament: Tournament) -> bool:
        """Return True if the report of this tournament is sent under this scope."""
        if tournament.part_of_id is not None:
            return False
        of_federation = bool(self.federation) and tournament.federation == self.federation
        return of_federation or tournament.pk == self.tournament_id


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def of(self, user: Any) -> Self:
        """Return the files sent under the scopes that this login has now."""
        return self.filter(scope__in=Scope.objects.of(user).values("pk"))

    def open(self) -> Self:
        """Return the files that the office still has to deal with."""
        return self.filter(state__in=Submission.OPEN)

    def to_confirm(self, scope: Scope, on: date) -> Self:
        """B.02 9.3: return the files that wait for this rating administrator's confirmation."""
        if not Scope.objects.administrators_of(scope.federation, on).filter(pk=scope.pk).exists():
            return self.none()
        return self.open().filter(federation=scope.federation, confirmed_at=None)


class Submission(models.Model):
    """A file as it was sent, byte for byte: the report of a tournament, or matches of a league's round.

    ``tournament``: None for a new one, and for a league. ``name``, ``first_day`` and ``federation``: of the
    tournament, by its report.
    ``told_for``: the list date that the sender has been told of.
    """

    class State(models.TextChoices):
        """Status of a file."""

        SENT = "sent", _("sent")
        TAKEN = "taken", _("with the office")
        RECEIVED = "received", _("received")
        RETURNED = "returned", _("returned")
        WITHDRAWN = "withdrawn", _("withdrawn")

    OPEN = ("sent", "taken")

    scope = models.ForeignKey(
        Scope,
        null=True,
        on_delete=models.SET_NULL,
        related_name="submissions",
        verbose_name=_("organizer"),
    )
    tournament = models.ForeignKey(
        Tournament,
        null=True,
        on_delete=models.PROTECT,
        related_name="submissions",
        verbose_name=_("tournament"),
    )
    name = models.CharField(_("name of the tournament"), max_length=150, blank=True)
    first_day = models.DateField(_("first day"), null=True)
    federation = models.CharField(_("federation"), max_length=3, blank=True)
    team = models.ForeignKey(
        Team, null=True, on_delete=models.PROTECT, related_name="submissions", verbose_name=_("team")
    )
    source = models.CharField(_("file"), max_length=255)
    content = models.BinaryField(_("content"))
    sha256 = models.CharField("SHA-256", max_length=64, db_index=True)
    sent_by = user_field(_("sent by"))
    sent_at = models.DateTimeField(_("sent at"))
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.SENT)
    confirmed_at = models.DateTimeField(_("confirmed at"), null=True)
    confirmed_by = user_field(_("confirmed by"), db_index=False)
    closed_at = models.DateTimeField(_("closed at"), null=True)
    handled_by = user_field(_("handled by"), db_index=False)
    reason = models.TextField(_("reason"), blank=True)
    file_import = models.ForeignKey(
        FileImport,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("imported file"),
    )
    told_for = models.DateField(_("notified of the list dated"), null=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        verbose_name = _("sent report")
        verbose_name_plural = _("sent reports")
        ordering = ("-pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(team=None) | Q(tournament=None, federation=""), name="submission_of_one_rule_book"
            ),
            models.CheckConstraint(
                condition=Q(state__in=("sent", "taken"), closed_at=None)
                | Q(state__in=("received", "returned", "withdrawn"), closed_at__isnull=False),
                name="submission_closed_says_when",
            ),
            models.CheckConstraint(
                condition=Q(state="returned") & ~Q(reason="") | ~Q(state="returned") & Q(reason=""),
                name="submission_returned_says_why",
            ),
            # A file that is sent twice at once waits once.
            models.UniqueConstraint(
                fields=["scope", "sha256"], condition=Q(state="sent"), name="submission_waits_once"
            ),
            # The next file for a tournament takes the place of the one that waits.
            models.UniqueConstraint(
                fields=["scope", "tournament"],
                condition=Q(state="sent"),
                name="submission_waits_once_for_tournament",
            ),
        ]
        indexes = [
            # What the office has to do, and what a rating administrator confirms.
            models.Index(fields=["state", "federation", "id"], name="submission_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.source}, {utc(self.sent_at)}"

    def get_absolute_url(self) -> str:
        """Return the address of its receipt."""
        return reverse("organizers:submission", args=(self.pk,))

    @property
    def is_open(self) -> bool:
        """True if the office still has to deal with it."""
        return self.state in self.OPEN

    @property
    def what(self) -> str:
        """Name the tournament or team; a new tournament by its report."""
        if self.name and self.first_day is not None and self.tournament is None:
            return f"{self.name} ({date_text(self.first_day)})"
        return str(self.tournament or self.team or _("new tournament"))

    def lacks_confirmation(self, at: datetime) -> bool:
        """B.02 9.3: True if the federation's rating administrator could confirm it, and has not."""
        if not self.is_open or self.confirmed_at is not None:
            return False
        return Scope.objects.administrators_of(self.federation, at.date()).exists()


def standing_of(tournament: Tournament, latest: Submission | None) -> str:
    """Return a tournament's status for the person who reports it; ``latest``: the file sent last."""
    state = str(tournament.get_status_display())
    if tournament.rated_for is not None:
        state = gettext("rated for the %(day)s list") % {"day": date_text(tournament.rated_for)}
    if latest is None or latest.state in (Submission.State.RECEIVED, Submission.State.WITHDRAWN):
        return state
    of_report = str(latest.get_state_display())
    if tournament.status == Tournament.Status.REGISTERED:
        return of_report
    return gettext("%(state)s; new report: %(report)s") % {"state": state, "report": of_report}
