"""Models of the desk: cases, likely duplicates among members, and staff notes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, Self

from django.conf import settings
from django.db import models
from django.db.models import F, OuterRef, Q
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from members.models import Member, accounts_of
from ratings.office.fields import user_field
from ratings.office.models import ChangeSet
from ratings.office.subjects import MEMBER, SubjectKind, subject_kind, subject_kinds


class CaseQuerySet(models.QuerySet["Case"]):
    def open(self) -> Self:
        """Return cases that wait for a decision."""
        return self.filter(state=Case.State.OPEN)

    def about(self, kind: str, key: int) -> Self:
        """Return the cases about one subject."""
        return self.filter(about=kind, key=key)

    def waiting_for(self, user: Any) -> Self:
        """Return open cases that this person owns, or could claim from others; most urgent first."""
        waiting = self.shown_to(user).open().filter(Q(owner=user) | Q(owner=None))
        return waiting.order_by("deadline", "pk")

    def shown_to(self, user: Any) -> Self:
        """Leave out a user's own cases, those they are a party of, and those of rooms that are gone."""
        mine = accounts_of(user)
        if not mine:
            return self
        kinds = subject_kinds()
        about = ~Q(about__in=[kind.name for kind in kinds])
        for kind in kinds:
            about |= Q(about=kind.name) & Q(kind.has_party(OuterRef("key"), mine))
        return self.exclude(Q(opener__in=mine) | about)

    def of_member(self, member: Any) -> Self:
        """Return cases that a member opened or that are about their profile, latest first."""
        return self.filter(Q(opener=member) | Q(about=MEMBER, key=member.pk)).order_by("-pk")

    def published(self) -> Self:
        """Return decided cases with public reasons."""
        return self.filter(state=Case.State.DECIDED).exclude(public_reasons="")


class Case(models.Model):
    """A case: its subject, who opened it, who of the office owns it, and the decision.

    ``about`` and ``key`` identify the subject (:mod:`ratings.office.subjects`). Messages are in the entries.
    ``decision`` is for whoever opened the case, ``public_reasons`` for everybody, ``staff_reasons`` for
    staff.
    """

    class State(models.TextChoices):
        OPEN = "open", _("open")
        DECIDED = "decided", _("decided")
        WITHDRAWN = "withdrawn", _("withdrawn")

    about = models.CharField(_("about"), max_length=20)
    key = models.BigIntegerField(_("number"), help_text=_("The number in the page’s address."))
    opener = models.ForeignKey(
        Member,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="cases",
        verbose_name=_("member"),
        help_text=_("The member who asked. They can see the case, its messages and the decision."),
    )
    on_behalf_of = models.CharField(
        _("on behalf of"),
        max_length=150,
        blank=True,
        help_text=_("Somebody without a login, such as an organizer. Only staff can see this."),
    )
    opened_by = user_field(_("opened by"), on_delete=models.PROTECT, editable=False, db_index=False)
    opened_at = models.DateTimeField(_("opened at"), editable=False)
    language = models.CharField(_("language"), max_length=10, editable=False)
    owner = user_field(_("owner"), on_delete=models.PROTECT, editable=False, db_index=False)
    deadline = models.DateTimeField(_("deadline"), editable=False)
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.OPEN, editable=False)
    closed_at = models.DateTimeField(_("closed at"), null=True, editable=False)
    decided_by = user_field(_("decided by"), on_delete=models.PROTECT, editable=False, db_index=False)
    decision = models.TextField(_("decision"), blank=True, editable=False)
    public_reasons = models.TextField(_("public reasons"), blank=True, editable=False)
    staff_reasons = models.TextField(_("reasons (staff only)"), blank=True, editable=False)
    change_set = models.ForeignKey(
        ChangeSet,
        null=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="cases",
        verbose_name=_("change set"),
    )

    objects = CaseQuerySet.as_manager()

    class Meta:
        verbose_name = _("case")
        verbose_name_plural = _("cases")
        ordering = ("deadline", "pk")
        permissions = [("handle_case", _("Can handle cases"))]
        constraints = [
            # A member has one open case about a subject, however often they press the button.
            models.UniqueConstraint(
                fields=["about", "key", "opener"],
                condition=Q(state="open"),
                name="case_open_once_for_member",
            ),
            models.UniqueConstraint(
                fields=["about", "key"],
                condition=Q(state="open", opener=None),
                name="case_open_once_without_member",
            ),
            models.CheckConstraint(
                condition=Q(opener__isnull=False) | Q(opened_by__isnull=False), name="case_has_opener"
            ),
            models.CheckConstraint(
                condition=Q(state="open", closed_at=None) | ~Q(state="open") & Q(closed_at__isnull=False),
                name="case_closed_says_when",
            ),
            # A comparison with NULL would pass, so each part of the condition excludes NULL.
            models.CheckConstraint(
                condition=Q(state="decided", decided_by__isnull=False) & ~Q(decision="")
                | ~Q(state="decided")
                & Q(decided_by=None, decision="", public_reasons="", staff_reasons="", change_set=None),
                name="case_decided_says_what",
            ),
        ]
        indexes = [
            # Serves the office's list, most urgent first.
            models.Index(fields=["state", "deadline", "id"], name="case_by_deadline"),
            # Serves the same list for one kind.
            models.Index(fields=["state", "about", "deadline", "id"], name="case_of_kind"),
            # Serves the cases that this person or nobody owns.
            models.Index(fields=["owner", "state", "deadline", "id"], name="case_of_owner"),
            # Serves the cases about a member's profile, on the office's page of the member.
            models.Index(fields=["about", "key"], name="case_about"),
        ]

    def __str__(self) -> str:
        return gettext("Case %(number)d") % {"number": self.pk}

    def get_absolute_url(self) -> str:
        """Return its page for whoever opened it."""
        return reverse("desk:case", args=(self.pk,))

    def is_opened_by(self, user: Any) -> bool:
        """Return True if this user is the member who opened it and therefore sees no staff notes."""
        return self.opener is not None and self.opener.user_id == user.pk

    @cached_property
    def corrected_at(self) -> datetime | None:
        """Return when the decision was last corrected, or None."""
        latest = self.entries.filter(what=CaseEntry.What.CORRECTED).order_by("-pk").first()
        return None if latest is None else latest.at

    @property
    def corrections(self) -> int:
        """Return how often the decision was corrected."""
        return self.entries.filter(what=CaseEntry.What.CORRECTED).count()

    @property
    def kind(self) -> SubjectKind:
        """Return the kind of the subject."""
        return subject_kind(self.about)

    @cached_property
    def subject(self) -> Any:
        """Return the subject, or None if it is gone."""
        return self.kind.find([self.key]).get(self.key)

    @property
    def heading(self) -> str:
        """Return the name of the subject."""
        return (
            self.kind.heading_of_gone(self.key) if self.subject is None else self.kind.heading(self.subject)
        )

    @property
    def address(self) -> str:
        """Return the page of the subject, or "" if it is gone."""
        return "" if self.subject is None else self.kind.address(self.subject)


def find_subjects(cases: Iterable[Case]) -> list[Case]:
    """Return the same cases with their subjects loaded, in one query for each kind."""
    cases = list(cases)
    for name in {case.about for case in cases}:
        some = [case for case in cases if case.about == name]
        found = subject_kind(name).find({case.key for case in some})
        for case in some:
            vars(case)["subject"] = found.get(case.key)
    return cases


class CaseEntry(models.Model):
    """A message or step in a case. Entries are never changed or deleted."""

    class What(models.TextChoices):
        """Kind of entry: who wrote to whom, or what was done."""

        ASKED = "asked", _("Message to the office")
        ANSWERED = "answered", _("Message from the office")
        NOTED = "noted", _("Note for staff")
        CLAIMED = "claimed", _("Claimed")
        RELEASED = "released", _("Released")
        CORRECTED = "mended", _("Previous decision")

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="entries", verbose_name=_("case"))
    what = models.CharField(_("what"), max_length=8, choices=What)
    by = user_field(
        _("by"),
        on_delete=models.PROTECT,
        db_index=False,
        help_text=_("The member of staff; blank if the member wrote it."),
    )
    at = models.DateTimeField(_("at"))
    text = models.TextField(_("text"), blank=True)

    class Meta:
        verbose_name = _("case entry")
        verbose_name_plural = _("case entries")
        ordering = ("pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(what="asked") | Q(by__isnull=False), name="case_entry_of_office_says_who"
            )
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.get_what_display()}"

    @property
    def is_message(self) -> bool:
        """Return True if whoever opened the case can read it."""
        return self.what in FOR_MEMBERS


FOR_MEMBERS: Final = (CaseEntry.What.ASKED, CaseEntry.What.ANSWERED, CaseEntry.What.CORRECTED)
"""Entries that whoever opened the case can read."""


class LikelyDuplicateQuerySet(models.QuerySet["LikelyDuplicate"]):
    def open(self) -> Self:
        """Return pairs that somebody has yet to look at. A pair with a merged account is settled."""
        return self.filter(dismissed_at=None, first__merged_into=None, second__merged_into=None)

    def shown_to(self, user: Any) -> Self:
        """Leave out pairs with an account of this user."""
        mine = accounts_of(user)
        return self.exclude(Q(first__in=mine) | Q(second__in=mine)) if mine else self


class LikelyDuplicate(models.Model):
    """Two members who may be one person. “Not the same person” is kept for good, with who said so."""

    class Why(models.TextChoices):
        """Reason for the suspicion."""

        FIDE_ID = "fide-id", _("same FIDE ID in a file")
        SAME_NAME = "same", _("same name and birth year")
        YEAR_UNKNOWN = "year", _("same name, birth year unknown")
        ALIKE = "alike", _("similar names, same birth year")

    # The member registered first comes first.
    first = models.ForeignKey(
        Member, on_delete=models.CASCADE, related_name="+", db_index=False, verbose_name=_("member")
    )
    second = models.ForeignKey(
        Member, on_delete=models.CASCADE, related_name="+", verbose_name=_("other account")
    )
    why = models.CharField(_("why"), max_length=7, choices=Why)
    found_at = models.DateTimeField(_("found at"))
    dismissed_by = user_field(_("marked as different by"))
    dismissed_at = models.DateTimeField(_("marked as different at"), null=True)

    objects = LikelyDuplicateQuerySet.as_manager()

    class Meta:
        verbose_name = _("likely duplicate")
        verbose_name_plural = _("likely duplicates")
        ordering = ("-found_at", "-pk")
        constraints = [
            # A pair is on the list once.
            models.UniqueConstraint(fields=["first", "second"], name="likely_duplicate_once"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="likely_duplicate_in_order"),
        ]
        indexes = [
            # Serves the open pairs, newest first.
            models.Index(
                fields=["-found_at", "-id"], condition=Q(dismissed_at=None), name="likely_duplicate_open"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} ({self.first.username}) = {self.second} ({self.second.username})?"


class MemberNote(models.Model):
    """A staff note about a member. Notes never change: a mistake is corrected by another note."""

    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, related_name="staff_notes", verbose_name=_("member")
    )
    text = models.TextField(_("text"), max_length=5_000, help_text=_("Never public."))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        editable=False,
        verbose_name=_("by"),
    )
    at = models.DateTimeField(_("at"), editable=False)

    class Meta:
        verbose_name = _("member note")
        verbose_name_plural = _("member notes")
        ordering = ("-pk",)

    def __str__(self) -> str:
        """Return a name without the member's, which the journal keeps: they may be staff and read it."""
        return gettext("Note of %(day)s") % {"day": date_text(self.at)}
