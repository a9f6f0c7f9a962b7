"""The journal as a model, so that people can be allowed to view it. Its lines are in other tables."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.office.models.change_sets import ChangeSet


class _NoRows(models.Manager["Journal"]):
    def get_queryset(self) -> models.QuerySet[Journal]:
        return super().get_queryset().none()


class Journal(ChangeSet):
    """The right to view the journal, and its place in the menu. ``ratings.office.journal`` reads it."""

    objects = _NoRows()  # type: ignore[assignment,misc]  # a proxy may have fewer rows

    class Meta:
        proxy = True
        default_permissions = ("view",)
        verbose_name = _("journal entry")
        verbose_name_plural = _("journal")
