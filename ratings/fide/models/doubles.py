"""FIDE IDs to which one list gives different ratings."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ratings.fide.models.lists import CONTROL_CHOICES, FideList
from ratings.formats.frl import FideControl


class DoubleRatingQuerySet(models.QuerySet["DoubleRating"]):
    def beside(self, row: DoubleRating) -> Self:
        """Return all rows of the same list, FIDE ID and control."""
        return self.filter(fide_list=row.fide_list_id, fide_id=row.fide_id, control=row.control)

    def undecided(self) -> Self:
        """Return rows of FIDE IDs for which nobody has chosen a row."""
        chosen = DoubleRating.objects.filter(
            fide_list=OuterRef("fide_list"),
            fide_id=OuterRef("fide_id"),
            control=OuterRef("control"),
            is_chosen=True,
        )
        return self.filter(~Exists(chosen))


class DoubleRating(models.Model):
    """One of the different ratings that a FIDE list gives one FIDE ID in a control.

    None of them counts until somebody chooses one, or a later list has one of them.
    """

    fide_list = models.ForeignKey(
        FideList,
        on_delete=models.CASCADE,
        related_name="double_ratings",
        db_index=False,
        verbose_name=_("FIDE rating list"),
    )
    fide_id = models.IntegerField(_("FIDE ID"))
    control = models.CharField(_("control"), max_length=8, choices=CONTROL_CHOICES)
    line = models.PositiveIntegerField(_("line of the file"))
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=150, blank=True)
    rating = models.SmallIntegerField(_("rating"))
    games = models.SmallIntegerField(_("games"), default=0)
    k = models.SmallIntegerField("K", default=0)
    is_chosen = models.BooleanField(_("chosen"), default=False)

    objects = DoubleRatingQuerySet.as_manager()

    class Meta:
        verbose_name = _("rating of a FIDE ID with several ratings")
        verbose_name_plural = _("ratings of FIDE IDs with several ratings")
        ordering = ("-fide_list", "fide_id", "control", "line", "pk")
        constraints = [
            # Only one of them can be right.
            models.UniqueConstraint(
                fields=["fide_list", "fide_id", "control"],
                condition=Q(is_chosen=True),
                name="double_rating_chosen_once",
            )
        ]
        indexes = [
            # Serves what lists say about a player.
            models.Index(fields=["fide_id", "control"], name="double_rating_by_player"),
            # Serves the rows of a list.
            models.Index(fields=["fide_list", "fide_id"], name="double_rating_by_list"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.fide_id}), {self.fide_list}, {FideControl(self.control)}: {self.rating}"
