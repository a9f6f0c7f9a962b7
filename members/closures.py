"""Closures of accounts for rated play: their span and reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from foa.history import ChangeHistory
from foa.text import date_text
from ratings.rules.rbb.conditions import Span


class AccountClosureQuerySet(models.QuerySet["AccountClosure"]):
    """Queries for closures. Spans are saved one by one, so that each is checked against the games."""

    def overlapping(self, span: Span) -> Self:
        """Return closures in force at some moment of this span. NULL end means an open end."""
        begin, end = span
        found = self.filter(Q(closed_until=None) | Q(closed_until__gt=begin))
        return found if end is None else found.filter(closed_from__lt=end)

    def update(self, **kwargs: Any) -> int:
        """Update note and category only; raise RuntimeError for any other field."""
        if not {"note", "category"}.issuperset(kwargs):
            raise RuntimeError("Save closures one by one: each is checked against the member’s games.")
        return super().update(**kwargs)

    update.alters_data = True  # type: ignore[attr-defined]

    def bulk_create(self, objs: Iterable[AccountClosure], *args: Any, **kwargs: Any) -> Any:
        """Raise RuntimeError: these closures wouldn't be checked against the games."""
        raise RuntimeError("Save closures one by one: each is checked against the member’s games.")


class AccountClosure(models.Model):
    """Span without rated games of a member, from ``closed_from`` up to, not including, ``closed_until``.

    The decision also voids games: those that started in the span and, if ``games_since`` is set, those from
    that moment on, against these ``opponents`` or, without any, against all opponents. Their ``voided_at`` is
    ``decided_at``, so that reopening finds them.
    """

    class Category(models.TextChoices):
        """Public reason for a closure."""

        FAIR_PLAY = "fair-play", _("Fair play")
        REQUEST = "request", _("At the member’s request")
        DUPLICATE = "duplicate", _("Duplicate account")
        OTHER = "other", _("Other")

    member = models.ForeignKey(
        # Not indexed: a unique constraint below begins with the member.
        "members.Member",
        on_delete=models.PROTECT,
        related_name="closures",
        db_index=False,
        verbose_name=_("member"),
    )
    closed_from = models.DateTimeField(_("closed from"))
    closed_until = models.DateTimeField(
        _("until"), null=True, blank=True, help_text=_("Leave blank if there is no end date.")
    )
    category = models.CharField(_("reason"), max_length=9, choices=Category)
    note = models.TextField(_("note for staff"), blank=True, help_text=_("Never public."))
    games_since = models.DateTimeField(
        _("games void from"),
        null=True,
        blank=True,
        help_text=_("Leave blank to keep all games from before the closure."),
    )
    opponents = models.ManyToManyField(
        "members.Member",
        blank=True,
        related_name="+",
        verbose_name=_("opponents"),
        help_text=_("Only games against these members are voided; leave blank to void all."),
    )
    decided_at = models.DateTimeField(_("decided at"))

    objects = AccountClosureQuerySet.as_manager()
    history = ChangeHistory()

    class Meta:
        verbose_name = _("closed account")
        verbose_name_plural = _("closed accounts")
        ordering = ("-closed_from", "-pk")
        permissions = [("decide_accountclosure", _("Can close and reopen accounts"))]
        constraints = [
            models.CheckConstraint(
                condition=Q(closed_until=None) | Q(closed_from__lt=F("closed_until")),
                name="account_closure_from_before_until",
                violation_error_message=_("The end must be after the start."),
            ),
            models.CheckConstraint(
                condition=Q(games_since=None) | Q(games_since__lte=F("closed_from")),
                name="account_closure_games_before_it",
                violation_error_message=_("Choose a day no later than the start of the closure."),
            ),
            # Together with clean(): closures of one member don't overlap.
            models.UniqueConstraint(fields=["member", "closed_from"], name="account_closure_one_from"),
            models.UniqueConstraint(
                fields=["member"], condition=Q(closed_until=None), name="account_closure_one_open_end"
            ),
        ]
        indexes = [
            # The list in the admin, latest first.
            models.Index(fields=["-closed_from", "-id"], name="account_closure_by_start"),
        ]

    def __str__(self) -> str:
        until = date_text(self.closed_until) if self.closed_until else "…"
        return f"{self.member}, {date_text(self.closed_from)} – {until}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the closure; raise ValidationError if it overlaps another or a rated game started in it."""
        with transaction.atomic():
            members: Any = self._meta.get_field("member").related_model
            # Serialises concurrent saves of one member's closures.
            members.objects.select_for_update(no_key=True).filter(pk=self.member_id).first()
            self.clean()
            super().save(*args, **kwargs)

    @property
    def span(self) -> Span:
        """First moment of the closure, and the first at which the account is open again (None: never)."""
        return self.closed_from, self.closed_until

    def clean(self) -> None:
        """Raise ValidationError naming another closure of the member that this one overlaps."""
        if self.closed_from is None or self.member_id is None:
            return
        others = AccountClosure.objects.filter(member_id=self.member_id).exclude(pk=self.pk)
        if other := others.overlapping(self.span).first():
            fault = _("The account is already closed at that time: %(other)s. Reopen it first.")
            raise ValidationError(fault, params={"other": other})
