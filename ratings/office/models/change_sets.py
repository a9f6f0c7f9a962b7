"""Change sets: what people decided, what it changed, and why; and what waits: files and previews."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.said import written
from ratings.office.decision_types import PublicReason, fields_naming, kind_of, kinds, kinds_of_facts
from ratings.office.effects import Move, Sentence
from ratings.office.fields import user_field
from ratings.office.models.jobs import Job
from ratings.rules.units import Hundredths


class ChangeSetQuerySet(models.QuerySet["ChangeSet"]):
    def applied(self) -> Self:
        """Return applied change sets, latest first."""
        return self.filter(state=ChangeSet.State.APPLIED).order_by("-applied_at", "-pk")

    def decided(self) -> Self:
        """Return what people decided, without the entries that facts made."""
        return self.exclude(kind__in=kinds_of_facts())

    def public(self) -> Self:
        """Return the register: applied change sets that are public."""
        return self.applied().exclude(kind__in=[kind.name for kind in kinds() if not kind.is_public])

    def concerning(self, objects: Iterable[models.Model]) -> Self:
        """Return change sets that name one of these objects, or that moved a rating of one of them."""
        concerns = Q()
        for one in objects:
            for kind, field in fields_naming(type(one)):
                # The parameters are lists of text, so the quotes keep 7 from finding 17.
                concerns |= Q(kind=kind, **{f"parameters__{field}__icontains": f'"{one.pk}"'})
            moving = [kind.name for kind in kinds() if kind.moves is type(one)]
            moved = MovedRating.objects.filter(subject=one.pk).values("change_set")
            concerns |= Q(kind__in=moving, pk__in=moved)
        return self.filter(concerns) if concerns else self.none()

    def in_force(self) -> Self:
        """Return applied change sets that count: neither taken back, nor taking another one back.

        One whose undo was taken back itself counts again.
        """
        again = ChangeSet.objects.applied().filter(undoes=OuterRef("pk")).order_by()
        undo = ChangeSet.objects.applied().filter(~Exists(again), undoes=OuterRef("pk")).order_by()
        return self.applied().filter(~Exists(undo), undoes=None)

    def open(self) -> Self:
        """Return change sets that may still be applied."""
        return self.filter(state__in=(ChangeSet.State.PROPOSED, ChangeSet.State.QUEUED))


class ChangeSet(models.Model):
    """One decision: proposed, shown exactly, and applied as it was shown or not at all.

    ``parameters`` are those of the form of its kind, so they are validated again before it is applied.
    ``shown`` is the effect that the proposer saw; ``fingerprint`` is the SHA-256 of all of it.
    """

    class State(models.TextChoices):
        PROPOSED = "proposed", _("waiting for a second person")
        QUEUED = "queued", _("waiting for the worker")
        APPLIED = "applied", _("applied")
        STALE = "stale", _("not applied: the data had changed")
        REFUSED = "refused", _("not applied: not possible")
        WITHDRAWN = "withdrawn", _("withdrawn")

    kind = models.CharField(_("kind"), max_length=40)
    parameters = models.JSONField(_("parameters"), default=dict)
    subject = models.CharField(
        _("subject"),
        max_length=255,
        blank=True,
        default="",
        db_default="",
        help_text=_("Subject, for staff."),
    )
    subject_meant = models.JSONField(
        _("meaning of the subject"), null=True, help_text=_("To write it in the reader’s language.")
    )
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.PROPOSED)
    public_reason = models.CharField(
        _("public reason"), max_length=9, choices=PublicReason, default=PublicReason.ROUTINE
    )
    public_text = models.CharField(
        _("public text"), max_length=255, blank=True, help_text=_("Only with the reason “Other”.")
    )
    staff_note = models.TextField(_("note for staff"), blank=True, help_text=_("Never public."))
    needs_second = models.BooleanField(_("needs a second person"), default=False)
    proposed_by = user_field(_("proposed by"), on_delete=models.PROTECT)
    proposed_as = models.CharField(
        _("system user"), max_length=64, blank=True, help_text=_("The person who ran the command.")
    )
    proposed_at = models.DateTimeField(_("proposed at"))
    seconded_by = user_field(_("confirmed by"), on_delete=models.PROTECT)
    seconded_at = models.DateTimeField(_("confirmed at"), null=True)
    applied_at = models.DateTimeField(_("applied at"), null=True)
    shown = models.JSONField(_("effect as shown"), default=dict)
    fingerprint = models.CharField(_("fingerprint"), max_length=64, help_text=_("SHA-256 of the effect."))
    moved = models.PositiveIntegerField(_("ratings changed"), default=0)
    largest = models.PositiveIntegerField(
        _("largest change"), default=0, help_text=_("In hundredths of a point.")
    )
    outcome = models.JSONField(
        _("outcome"), default=list, help_text=_("Sentences, each with links: labels and addresses.")
    )
    undo = models.JSONField(
        _("undo"), null=True, help_text=_("Kind and parameters of the change set that reverses it.")
    )
    undoes = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="undone_by", verbose_name=_("reverses")
    )
    job = models.OneToOneField(
        Job, null=True, on_delete=models.PROTECT, related_name="change_set", verbose_name=_("job")
    )

    objects = ChangeSetQuerySet.as_manager()

    class Meta:
        verbose_name = _("change set")
        verbose_name_plural = _("change sets")
        ordering = ("-pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(seconded_by=None) | Q(proposed_by=None) | ~Q(seconded_by=F("proposed_by")),
                name="change_set_seconded_by_another",
                violation_error_message=_("Another person has to confirm it."),
            ),
            models.CheckConstraint(
                condition=~Q(state="applied") | Q(needs_second=False) | Q(seconded_by__isnull=False),
                name="change_set_applied_when_seconded",
            ),
            models.CheckConstraint(
                condition=Q(state="applied", applied_at__isnull=False)
                | ~Q(state="applied") & Q(applied_at=None),
                name="change_set_applied_says_when",
            ),
            # A decision is undone at most once.
            models.UniqueConstraint(
                fields=["undoes"], condition=Q(state="applied"), name="change_set_undone_once"
            ),
        ]
        indexes = [
            # Serves the register, latest first.
            models.Index(
                fields=["-applied_at", "-id"], condition=Q(state="applied"), name="change_set_register"
            ),
            # Serves the change sets that wait.
            models.Index(
                fields=["state"], condition=Q(state__in=("proposed", "queued")), name="change_set_open"
            ),
        ]

    def __str__(self) -> str:
        """Say what was done for everybody, without the name of anybody suspected of foul play."""
        kind = kind_of(self.kind)
        is_told = kind.names_subject and self.undoes_id is None
        heading = kind.public_heading(self.parameters)
        # The number of the decision isn't that of the games: “#7: 3 games voided”.
        done = f"#{self.pk}{':' if heading[:1].isdigit() else ''} {heading}"
        if is_told and self.subject and self.public_reason != PublicReason.FAIR_PLAY:
            return f"{done}: {self._subject_now}"
        return done

    def get_absolute_url(self) -> str:
        """Return its page in the public register."""
        return reverse("office:change_set", args=(self.pk,))

    @property
    def beside_names(self) -> tuple[str, str]:
        """Return address and text for pages that name the members whose ratings it changed.

        The register doesn't list them if that would name somebody, so neither does such a page.
        """
        if kind_of(self.kind).unlisted:
            return "", gettext("Correction")
        return self.get_absolute_url(), str(self)

    @property
    def told(self) -> list[Sentence]:
        """Return the sentences of the outcome in the reader's language."""
        return [Sentence.of(one) for one in self.outcome]

    @property
    def _subject_now(self) -> str:
        """Return the subject in the reader's language."""
        return self.subject if self.subject_meant is None else written(self.subject_meant)

    @property
    def for_staff(self) -> str:
        """Return number, title of the decision and subject for staff."""
        kind, subject = kind_of(self.kind), self._subject_now
        if subject:
            what = f"{kind.title}: {subject}"
        else:
            is_done = self.state == self.State.APPLIED
            what = kind.public_heading(self.parameters) if is_done else str(kind.title)
        return f"#{self.pk} {what}"

    @property
    def public_why(self) -> Any:
        """Return the reason that members read."""
        return self.public_text or self.get_public_reason_display()


class MovedRating(models.Model):
    """A rating that a change set moved, in hundredths; None while unrated.

    Only the kind of the change set knows whose it is (``subject``), and the list or category (``scale``).
    """

    change_set = models.ForeignKey(
        ChangeSet,
        on_delete=models.CASCADE,
        related_name="moves",
        db_index=False,
        verbose_name=_("change set"),
    )
    position = models.PositiveIntegerField(_("position"), help_text=_("Largest first."))
    subject = models.BigIntegerField(_("member or player"))
    scale = models.CharField(_("category or list"), max_length=40)
    before = models.IntegerField(_("before"), null=True)
    after = models.IntegerField(_("after"), null=True)

    class Meta:
        verbose_name = _("changed rating")
        verbose_name_plural = _("changed ratings")
        ordering = ("change_set", "position")
        constraints = [
            # Serves the page of a change set, which lists them in this order.
            models.UniqueConstraint(fields=["change_set", "position"], name="moved_rating_position")
        ]

    def __str__(self) -> str:
        return f"{self.scale} {self.subject}: {self.before} → {self.after}"

    @property
    def move(self) -> Move:
        """Return the move as the effect had it."""
        before, after = self.before, self.after
        return Move(
            self.subject,
            self.scale,
            None if before is None else Hundredths(before),
            None if after is None else Hundredths(after),
        )


class FileImport(models.Model):
    """A file that somebody uploaded, with what the worker found in it and what happened to it.

    ``parameters`` are those of the form of its kind, with the name of the kept file. ``report`` is what was
    found row by row. ``shown`` is the effect that applying it must have, empty if there is nothing to apply.
    """

    kind = models.CharField(_("kind"), max_length=40)
    parameters = models.JSONField(_("parameters"), default=dict)
    source = models.CharField(_("file"), max_length=255)
    brought_by = user_field(_("uploaded by"), db_index=False)
    brought_at = models.DateTimeField(_("uploaded at"))
    job = models.OneToOneField(
        Job, null=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("rehearsal")
    )
    report = models.JSONField(_("report"), default=dict)
    refusals = models.CharField(_("file of refused rows"), max_length=32, blank=True)
    shown = models.JSONField(_("effect as shown"), default=dict)
    change_set = models.OneToOneField(
        ChangeSet,
        null=True,
        on_delete=models.SET_NULL,
        related_name="file_import",
        verbose_name=_("change set"),
    )
    dropped_at = models.DateTimeField(_("discarded at"), null=True)

    class Meta:
        verbose_name = _("imported file")
        verbose_name_plural = _("import files")
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.source

    @property
    def is_applied(self) -> bool:
        """Return True if it is stored, or waits for the worker or a second person."""
        states = ChangeSet.State
        waits_or_done = (states.PROPOSED, states.QUEUED, states.APPLIED)
        return self.change_set is not None and self.change_set.state in waits_or_done

    @property
    def is_looked_at(self) -> bool:
        """Return True while the worker has yet to report what is in it."""
        return self.job is not None and self.job.state in (Job.State.WAITING, Job.State.RUNNING)

    @property
    def is_ready(self) -> bool:
        """Return True if it can be applied."""
        return bool(self.shown) and self.change_set is None and self.dropped_at is None

    @property
    def may_be_dropped(self) -> bool:
        """Return True if nothing of it is stored or about to be."""
        return self.dropped_at is None and not self.is_applied

    @property
    def standing(self) -> Any:
        """Return its state in words."""
        if self.dropped_at is not None:
            return _("discarded")
        if self.change_set is not None:
            return self.change_set.get_state_display()
        if self.is_ready:
            return _("ready to be applied")
        if self.is_looked_at:
            return _("waiting for the worker")
        return _("nothing to apply") if self.report else _("failed")


class Rehearsal(models.Model):
    """The preview of a decision: the worker applies it, rolls it back and keeps the effect.

    ``parameters`` are those of the form of its kind. ``address``: the page that shows it to the person who
    asked. ``details``: HTML made by the template of the kind, in that person's language.
    """

    kind = models.CharField(_("kind"), max_length=40)
    parameters = models.JSONField(_("parameters"), default=dict)
    undoes = models.ForeignKey(
        ChangeSet, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("requested by")
    )
    asked_at = models.DateTimeField(_("requested at"))
    address = models.CharField(_("address of the page"), max_length=255)
    job = models.OneToOneField(
        Job, null=True, on_delete=models.SET_NULL, related_name="rehearsal", verbose_name=_("job")
    )
    shown = models.JSONField(_("effect as shown"), default=dict)
    details = models.TextField(_("details"), blank=True)
    button = models.CharField(_("button label"), max_length=255, blank=True)
    faults = models.JSONField(_("errors"), default=list, help_text=_("Why it can’t be done."))
    change_set = models.OneToOneField(
        ChangeSet,
        null=True,
        on_delete=models.CASCADE,
        related_name="rehearsal",
        verbose_name=_("change set"),
    )

    class Meta:
        verbose_name = _("rehearsal")
        verbose_name_plural = _("rehearsals")
        ordering = ("-pk",)
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk}"
