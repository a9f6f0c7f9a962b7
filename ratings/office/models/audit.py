"""Findings of the audit, and their acceptance."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import dated
from ratings.office.decision_types import decision_address
from ratings.office.fields import user_field


class AuditedCheck(models.Model):
    """The last run of a check: when it ran, and how much it found."""

    name = models.CharField(_("check"), max_length=60, primary_key=True)
    looked_at = models.DateTimeField(_("last run"))
    seconds = models.PositiveIntegerField(_("seconds"))
    found = models.PositiveIntegerField(_("found"), help_text=_("Open and accepted findings."))

    class Meta:
        verbose_name = _("audited check")
        verbose_name_plural = _("audited checks")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class AuditFindingQuerySet(models.QuerySet["AuditFinding"]):
    def open(self) -> Self:
        """Return current findings that nobody has accepted."""
        return self.filter(is_there=True, accepted_at=None)


class AuditFinding(models.Model):
    """Something stored that contradicts a rule (``ratings.office.audit.Finding``).

    ``is_there``: False for an accepted finding that the last run didn't find.
    """

    check_name = models.CharField(_("check"), max_length=60)
    key = models.CharField(_("key"), max_length=200)
    text = models.CharField(_("text"), max_length=500)
    words = models.JSONField(_("words"), default=dict)
    address = models.CharField(_("address"), max_length=500, blank=True)
    mends = models.JSONField(
        _("corrected by"),
        null=True,
        help_text=_("Kind and parameters of the change set that would correct it."),
    )
    found_at = models.DateTimeField(_("found at"))
    is_there = models.BooleanField(_("found by the last run"), default=True)
    accepted_at = models.DateTimeField(_("accepted at"), null=True)
    accepted_by = user_field(_("accepted by"), db_index=False)
    accepted_note = models.TextField(_("why it was accepted"), blank=True)

    objects = AuditFindingQuerySet.as_manager()

    class Meta:
        verbose_name = _("audit finding")
        verbose_name_plural = _("audit findings")
        ordering = ("check_name", "pk")
        permissions = [
            ("accept_auditfinding", "Can accept findings of the audit"),
            ("run_auditfinding", "Can run the audit"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["check_name", "key"], name="audit_finding_once"),
            models.CheckConstraint(
                condition=models.Q(accepted_at=None) | ~models.Q(accepted_note=""),
                name="audit_finding_accepted_says_why",
            ),
        ]

    def __str__(self) -> str:
        return str(gettext(self.text) % {name: dated(str(value)) for name, value in self.words.items()})

    @property
    def mending(self) -> str:
        """Return the address of the decision that would fix it, or ""."""
        if not self.mends:
            return ""
        return decision_address(self.mends["kind"], self.mends["parameters"])
