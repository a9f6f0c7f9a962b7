"""Projections: nobody edits them; ``manage.py replay`` rebuilds them."""

from __future__ import annotations

from django.contrib import admin

from ratings.admin.base import ProjectionAdmin
from ratings.models import Rating, RatingChange

__all__ = ["RatingAdmin", "RatingChangeAdmin"]


@admin.register(RatingChange)
class RatingChangeAdmin(ProjectionAdmin[RatingChange]):
    """The ledger."""

    list_display = (
        "occurred_at", "member", "category", "before", "after", "change", "opponent", "opponent_rating",
        "difference", "expected", "k", "reason",
    )  # fmt: skip
    list_filter = ("category", "reason")
    list_select_related = ("member", "opponent")
    search_fields = ("member__username", "member__name")


@admin.register(Rating)
class RatingAdmin(ProjectionAdmin[Rating]):
    """Where members stand now."""

    list_display = ("member", "category", "rating", "displayed", "games", "peak", "last_event_at")
    list_filter = ("category",)
    list_select_related = ("member",)
    search_fields = ("member__username", "member__name")
