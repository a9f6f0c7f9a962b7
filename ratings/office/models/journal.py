"""The journal as something that people may be allowed to look at. Its lines are in other tables."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.office.models.change_sets import ChangeSet


class _NoRows(models.Manager["Journal"]):
    def get_queryset(self) -> models.QuerySet[Journal]:
        return super().get_queryset().none()


class Journal(ChangeSet):
    """``ratings.office.journal`` reads its lines; this is the right to see them and a place in the menu."""

    objects = _NoRows()  # type: ignore[assignment,misc]  # a proxy may have fewer rows

    class Meta:
        proxy = True
        default_permissions = ("view",)
        verbose_name = _("line of the journal")
        verbose_name_plural = _("journal")
