"""Tasks that staff have put off until a day."""

from __future__ import annotations

from datetime import date
from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.office.fields import user_field


class PutOffQuerySet(models.QuerySet["PutOff"]):
    def at(self, day: date) -> Self:
        """Return what is put off on a day; it is due again on the day until which it was."""
        return self.filter(until__gt=day)


class PutOff(models.Model):
    """A task of “What is due” that waits until a day. ``key`` is that of the task."""

    key = models.CharField(_("task"), max_length=500, unique=True)
    until = models.DateField(_("until"))
    reason = models.CharField(_("reason"), max_length=255)
    by = user_field(_("put off by"), db_index=False)
    at = models.DateTimeField(_("put off at"))

    objects = PutOffQuerySet.as_manager()

    class Meta:
        verbose_name = _("task put off")
        verbose_name_plural = _("tasks put off")
        # Whoever sees a task may put it off.
        default_permissions = ()
        ordering = ("until", "pk")

    def __str__(self) -> str:
        return f"{self.key}: {self.until}"
