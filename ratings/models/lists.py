"""Publications: lists frozen as they were, never altered afterwards."""

from __future__ import annotations

from decimal import Decimal

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from members.models import Member
from ratings.labels import CATEGORY_NAMES
from ratings.models.fields import CategoryField, HundredthsField
from ratings.rules.rounding import displayed, to_hundredths

__all__ = ["RatingList", "RatingListEntry"]


class RatingList(models.Model):
    """RBB 1.4: the list of one category for one month, the state at 00:00 UTC on its first day.

    Nothing published is ever altered. Where a later correction would have changed a list, a new revision
    stands beside it. ``previous`` is the list before it, from which its period runs.
    """

    category = CategoryField(_("category"))
    month = models.DateField(_("month"), help_text=_("First day of the month."))
    revision = models.PositiveSmallIntegerField(_("revision"), default=1)
    published_at = models.DateTimeField(_("published at"))
    members = models.PositiveIntegerField(_("members"))
    previous = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False,
        verbose_name=_("previous list"),
    )  # fmt: skip
    period_games = models.PositiveIntegerField(
        _("games in the period"), default=0, help_text=_("Rated games since the previous list.")
    )
    unrated_games = models.PositiveIntegerField(
        _("games against unrated"),
        default=0,
        help_text=_("Those of them in which an unrated player met a rated one."),
    )
    mean = HundredthsField(_("mean rating"), null=True)
    median = HundredthsField(_("median rating"), null=True)
    checksum = models.CharField(_("checksum"), max_length=64, help_text=_("SHA-256 of the list as CSV."))

    class Meta:
        verbose_name = _("rating list")
        verbose_name_plural = _("rating lists")
        ordering = ("-month", "category", "-revision")
        constraints = [
            models.UniqueConstraint(fields=["category", "month", "revision"], name="rating_list_unique")
        ]

    def __str__(self) -> str:
        return gettext("%(category)s %(month)s, revision %(revision)d") % {
            "category": CATEGORY_NAMES[self.category],
            "month": f"{self.month:%Y-%m}",
            "revision": self.revision,
        }

    def get_absolute_url(self) -> str:
        """The permanent page of this revision."""
        return reverse("ratings:list", args=(self.category.slug, self.month, self.revision))


class RatingListEntry(models.Model):
    """A line of a published list."""

    rating_list = models.ForeignKey(
        RatingList, on_delete=models.CASCADE, related_name="entries", db_index=False,
        verbose_name=_("rating list"),
    )  # fmt: skip
    position = models.PositiveIntegerField(_("position"), help_text=_("1, 2, 3, … down the page."))
    rank = models.PositiveIntegerField(_("rank"), help_text=_("Shared by equal ratings."))
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, related_name="list_entries", verbose_name=_("member")
    )
    rating = HundredthsField(_("rating"), help_text=_("Exact; shown rounded (RBB 3.12)."))
    games = models.PositiveIntegerField(_("games"))
    previous = HundredthsField(
        _("previous rating"), null=True, help_text=_("On the list before; empty where he was not on it.")
    )
    period_games = models.PositiveIntegerField(
        _("games in the period"), default=0, help_text=_("Rated games since the previous list.")
    )
    k = models.PositiveSmallIntegerField("K", null=True, help_text=_("Of his next game (RBB 3.10)."))

    class Meta:
        verbose_name = _("rating list entry")
        verbose_name_plural = _("rating list entries")
        ordering = ("rating_list", "position")
        constraints = [
            # The page of a list by position.
            models.UniqueConstraint(fields=["rating_list", "position"], name="list_entry_position"),
            models.UniqueConstraint(fields=["rating_list", "member"], name="list_entry_member"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.member} {self.rating}"

    @property
    def displayed(self) -> int:
        """RBB 3.12, 3.13: the rating as it is shown."""
        return displayed(to_hundredths(self.rating))

    @property
    def change(self) -> Decimal | None:
        """Exactly by how much he rose since the previous list, None where he was not on it."""
        return None if self.previous is None else self.rating - self.previous
