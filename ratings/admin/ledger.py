"""Projections: nobody edits them; ``manage.py replay`` rebuilds them."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from ratings.admin.base import OfMembers, ProjectionAdmin
from ratings.models import Rating, RatingChange

__all__ = ["RatingAdmin", "RatingChangeAdmin"]


@admin.register(RatingChange)
class RatingChangeAdmin(OfMembers[RatingChange], ProjectionAdmin[RatingChange]):
    """The ledger."""

    list_display = (
        "occurred_at", "member", "category", "before", "after", "change", "opponent", "opponent_rating",
        "difference", "expected", "k", "reason",
    )  # fmt: skip
    list_filter = ("category", "reason")
    list_select_related = ("member", "opponent")


@admin.register(Rating)
class RatingAdmin(OfMembers[Rating], ProjectionAdmin[Rating]):
    """Where members stand now."""

    list_display = ("member", "category", "rating", "displayed", "games", "peak", "last_event_at")
    list_filter = ("category",)
    list_select_related = ("member",)

    @admin.display(description=_("displayed"))
    def displayed(self, rating: Rating) -> int | None:
        """RBB 3.12, 3.13: rounded half up."""
        return rating.displayed
