"""Members who may be one person, and what staff said about them."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from members.models import Member
from ratings.office.fields import user_field


class LikelyDuplicateQuerySet(models.QuerySet["LikelyDuplicate"]):
    def open(self) -> Self:
        """Return pairs that somebody has yet to look at. A pair with a merged account is settled."""
        return self.filter(dismissed_at=None, first__merged_into=None, second__merged_into=None)


class LikelyDuplicate(models.Model):
    """Two members who may be one person. “Not the same” is kept for good, with who said so."""

    class Why(models.TextChoices):
        """Reason for the suspicion."""

        FIDE_ID = "fide-id", _("a file gave both the same FIDE ID")
        SAME_NAME = "same", _("same name and birth year")
        YEAR_UNKNOWN = "year", _("same name, a birth year not known")
        ALIKE = "alike", _("names alike, same birth year")

    # The member registered first comes first.
    first = models.ForeignKey(
        Member, on_delete=models.CASCADE, related_name="+", db_index=False, verbose_name=_("member")
    )
    second = models.ForeignKey(
        Member, on_delete=models.CASCADE, related_name="+", verbose_name=_("other account")
    )
    why = models.CharField(_("why"), max_length=7, choices=Why)
    found_at = models.DateTimeField(_("found at"))
    dismissed_by = user_field(_("not the same, said by"))
    dismissed_at = models.DateTimeField(_("not the same, said at"), null=True)

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
