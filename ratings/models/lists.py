"""Publications: lists frozen as they were, never altered afterwards."""

from __future__ import annotations

from django.db import models

from members.models import Member
from ratings.models.fields import CategoryField, HundredthsField

__all__ = ["RatingList", "RatingListEntry"]


class RatingList(models.Model):
    """RBB 1.4: the list of one category for one month, the state at 00:00 UTC on its first day."""

    category = CategoryField()
    month = models.DateField(help_text="First day of the month.")
    revision = models.PositiveSmallIntegerField(default=1)
    published_at = models.DateTimeField()
    members = models.PositiveIntegerField()
    checksum = models.CharField(max_length=64, help_text="SHA-256 of the list as CSV.")

    class Meta:
        ordering = ("-month", "category", "-revision")
        constraints = [
            models.UniqueConstraint(fields=["category", "month", "revision"], name="rating_list_unique")
        ]

    def __str__(self) -> str:
        return f"{self.category.slug} {self.month:%Y-%m}, revision {self.revision}"


class RatingListEntry(models.Model):
    """A line of a published list."""

    rating_list = models.ForeignKey(
        RatingList, on_delete=models.CASCADE, related_name="entries", db_index=False
    )
    position = models.PositiveIntegerField(help_text="1, 2, 3, … down the page.")
    rank = models.PositiveIntegerField(help_text="Shared by equal ratings.")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="list_entries")
    rating = HundredthsField(help_text="Exact; shown rounded (RBB 3.12).")
    games = models.PositiveIntegerField()

    class Meta:
        ordering = ("rating_list", "position")
        verbose_name_plural = "rating list entries"
        constraints = [
            # The page of a list by position.
            models.UniqueConstraint(fields=["rating_list", "position"], name="list_entry_position"),
            models.UniqueConstraint(fields=["rating_list", "member"], name="list_entry_member"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.member} {self.rating}"
