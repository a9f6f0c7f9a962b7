"""Rehearsals: previews of decisions that may take long, made by the worker."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.office.models.change_sets import ChangeSet
from ratings.office.models.jobs import Job


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
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("asked by")
    )
    asked_at = models.DateTimeField(_("asked at"))
    address = models.CharField(_("address of the page"), max_length=255)
    job = models.OneToOneField(
        Job, null=True, on_delete=models.SET_NULL, related_name="rehearsal", verbose_name=_("job")
    )
    shown = models.JSONField(_("effect as shown"), default=dict)
    details = models.TextField(_("details"), blank=True)
    button = models.CharField(_("label of the button"), max_length=255, blank=True)
    faults = models.JSONField(_("faults"), default=list, help_text=_("Why it can't be done."))
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
