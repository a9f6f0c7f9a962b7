"""What a correction did to the ledger: since which moment lines of it are other ones than before."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from foa.text import minute
from ratings.labels import CATEGORY_NAMES
from ratings.models.fields import CategoryField

SETTLED_AFTER: Final = timedelta(hours=1)
"""A result that comes in later than this after its game has ended is recorded like a correction."""


class RecalculationQuerySet(models.QuerySet["Recalculation"]):
    """The nouns of corrections."""

    def reaching(self, moment: datetime) -> Self:
        """Those that changed what the ledger says of this moment, latest first."""
        return self.filter(since__lte=moment).order_by("-at", "-pk")

    def after_settling(self, moment: datetime) -> Self:
        """Those of them that came when nobody had to expect more results of this moment."""
        return self.reaching(moment).filter(at__gt=moment + SETTLED_AFTER)


class Recalculation(models.Model):
    """Lines of the ledger that were rewritten, added or taken away behind the newest ones, in one go.

    Whoever saw the ratings of a moment at or after ``since`` before ``at`` may have seen other ones.
    """

    category = CategoryField(_("category"))
    since = models.DateTimeField(
        _("reaches back to"), help_text=_("The first event whose line is another one since.")
    )
    at = models.DateTimeField(_("recalculated at"))
    lines = models.PositiveIntegerField(
        _("lines"), help_text=_("So many lines of the ledger are other ones since.")
    )

    objects = RecalculationQuerySet.as_manager()

    class Meta:
        verbose_name = _("recalculation")
        verbose_name_plural = _("recalculations")
        ordering = ("-at", "-pk")
        indexes = [
            # The last one that reaches back to a moment; a list's page asks for it.
            models.Index(fields=["category", "at"], name="recalculation_by_time")
        ]

    def __str__(self) -> str:
        return f"{CATEGORY_NAMES[self.category]}: {minute(self.since)} – {minute(self.at)}"
