"""B.02 9.3: whom federations have designated to coordinate what they send in."""

from __future__ import annotations

from datetime import date

from django.db import models
from django.utils.translation import gettext_lazy as _


class RatingAdministratorQuerySet(models.QuerySet["RatingAdministrator"]):
    def in_office(self, federation: str, on: date) -> RatingAdministrator | None:
        """Whom this federation had designated on this day."""
        return self.filter(federation=federation, since__lte=on).order_by("-since").first()


class RatingAdministrator(models.Model):
    """B.02 9.3: the rating administrator whom a federation has designated, until it designates the next.

    No more than the name is kept: nothing of this register is public.
    """

    federation = models.CharField(_("federation"), max_length=3, help_text=_("FIDE’s code."))
    name = models.CharField(_("name of the administrator"), max_length=150)
    since = models.DateField(_("designated on"))

    objects = RatingAdministratorQuerySet.as_manager()

    class Meta:
        verbose_name = _("rating administrator of a federation")
        verbose_name_plural = _("rating administrators of federations")
        ordering = ("federation", "-since")
        constraints = [
            models.UniqueConstraint(
                fields=["federation", "since"],
                name="rating_administrator_once",
                violation_error_message=_("The federation has an administrator since this day already."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.federation}: {self.name}"
