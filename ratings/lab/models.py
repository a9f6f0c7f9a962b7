"""Runs of the lab: what was asked, of which data, and the answer."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.office.fields import user_field
from ratings.office.models import Job


class Run(models.Model):
    """Variants of the rules, and what they would have done to the games. Kept as it was calculated."""

    title = models.CharField(_("question"), max_length=200)
    variants: models.JSONField[list[str], list[str]] = models.JSONField(
        _("variants"), help_text=_("TOML of each.")
    )
    cut = models.DateField(
        _("predict games from"), null=True, help_text=_("Without a day: the last quarter of all games.")
    )
    asked_by = user_field(_("asked by"), db_index=False)
    asked_at = models.DateTimeField(_("asked at"))
    job = models.OneToOneField(
        Job, null=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("job")
    )
    data_checksum = models.CharField(_("SHA-256 of the data"), max_length=64, default="")
    data_read_at = models.DateTimeField(_("data read at"), null=True)
    program = models.CharField(_("version of the program"), max_length=40, default="")
    changed_meanwhile = models.BooleanField(
        _("changed meanwhile"), default=False, help_text=_("The ledger changed between reading and answer.")
    )
    result: models.JSONField[Any, Any] = models.JSONField(_("result"), null=True)

    class Meta:
        verbose_name = _("policy question")
        verbose_name_plural = _("policy questions")
        ordering = ("-pk",)
        default_permissions = ("add", "view")

    def __str__(self) -> str:
        return self.title
