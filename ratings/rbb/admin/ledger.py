"""Admin pages of projections, read-only; ``manage.py replay`` rebuilds them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ratings.office.admin.base import ProjectionAdmin
from ratings.rbb.admin.base import OfMembers
from ratings.rbb.models import LateLine, Rating, RatingChange, RecalculatedLine, Recalculation


@admin.register(RatingChange)
class RatingChangeAdmin(OfMembers[RatingChange], ProjectionAdmin[RatingChange]):
    """Admin pages of the ledger."""

    list_display = (
        "occurred_at",
        "member",
        "category",
        "before",
        "after",
        "change",
        "opponent",
        "opponent_rating",
        "k",
        "reason",
    )
    list_filter = ("category", "reason")
    list_select_related = ("member", "opponent")


@admin.register(Rating)
class RatingAdmin(OfMembers[Rating], ProjectionAdmin[Rating]):
    list_display = ("member", "category", "rating", "displayed", "games", "peak", "last_event_at")
    list_filter = ("category",)
    list_select_related = ("member",)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Show the list under a title that distinguishes it from a published list."""
        return super().changelist_view(request, {"title": _("Live ratings"), **(extra_context or {})})

    @admin.display(description=_("displayed"))
    def displayed(self, rating: Rating) -> int | None:
        """Return the rating rounded half up (RBB 3.12, 3.13)."""
        return rating.displayed


@admin.register(Recalculation)
class RecalculationAdmin(ProjectionAdmin[Recalculation]):
    """Admin pages of changes to the ledger by corrections and late results."""

    list_display = ("at", "category", "since", "lines", "change_set")
    list_select_related = ("change_set",)
    list_filter = ("category",)


@admin.register(RecalculatedLine)
class RecalculatedLineAdmin(OfMembers[RecalculatedLine], ProjectionAdmin[RecalculatedLine]):
    """Admin pages of earlier values of ledger lines that a decision changed or removed."""

    list_display = ("line", "member", "category", "occurred_at", "before", "after", "gone", "recalculation")
    list_filter = ("gone", "category")
    list_select_related = ("member", "recalculation")


@admin.register(LateLine)
class LateLineAdmin(OfMembers[LateLine], ProjectionAdmin[LateLine]):
    """Admin pages of lines added, removed or changed behind a published list, as they were on it."""

    list_display = ("line", "member", "occurred_at", "reason", "recalculation")
    list_filter = ("recalculation__category",)
    list_select_related = ("member", "recalculation")
