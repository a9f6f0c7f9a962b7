"""Inputs: games, opening ratings and over-the-board adjustments, and the time controls they refer to."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from foa.web.typed import BaseInlineFormSet, TabularInline
from ratings.admin.base import InputAdmin, LookAtOnly, ProjectionAdmin
from ratings.models import Game, ImportBatch, OpeningRating, OtbAdjustment, RatingChange, TimeControl

__all__ = ["GameAdmin", "ImportBatchAdmin", "OpeningRatingAdmin", "OtbAdjustmentAdmin", "TimeControlAdmin"]


@admin.register(TimeControl)
class TimeControlAdmin(ProjectionAdmin[TimeControl]):
    """RBB 2.3 fixes which controls are rated, so there is nothing to edit."""

    list_display = ("__str__", "initial", "increment", "category")
    list_filter = ("category",)
    fields = ("initial", "increment", "category")


class _ChangesOfGame(BaseInlineFormSet[RatingChange, Game, Any]):
    """The two rows of a game, found by their keys."""

    @classmethod
    def get_default_prefix(cls) -> str:
        """The games know nothing of the ledger, so the name of their fields in the form is given here."""
        return "changes"

    def get_queryset(self) -> QuerySet[RatingChange]:
        """Django's own filter, by the game, would read the whole ledger."""
        if self.instance.pk is None:
            return RatingChange.objects.none()
        return RatingChange.objects.of_game(self.instance).select_related("member", "opponent")


class ChangeInline(LookAtOnly, TabularInline[RatingChange, Game]):
    """What the game did to both players."""

    model = RatingChange
    fields = (
        "member", "before", "after", "change", "opponent_rating", "difference", "expected", "k", "reason",
    )  # fmt: skip
    readonly_fields = fields
    formset = _ChangesOfGame
    show_change_link = True


@admin.register(Game)
class GameAdmin(InputAdmin[Game]):
    """A game. Saving it rates it, and everything after it that it touches."""

    list_display = ("ended_at", "white", "black", "result", "time_control", "rated", "voided_at")
    list_filter = ("rated", ("voided_at", admin.EmptyFieldListFilter), "result", "time_control__category")
    list_select_related = ("white", "black", "time_control")
    date_hierarchy = "ended_at"
    search_fields = ("external_id", "white__username", "black__username")
    search_help_text = _("External id, or the username of a player")
    autocomplete_fields = ("white", "black")
    fields = (
        ("white", "black"),
        ("time_control", "rated", "unrated_reason"),
        ("result", "termination", "plies"),
        ("started_at", "ended_at"),
        "external_id",
        "pgn",
        "batch",
        ("voided_at", "voided_by", "void_reason"),
    )
    readonly_fields = ("batch", "voided_at", "voided_by", "void_reason")
    inlines = (ChangeInline,)


@admin.register(OpeningRating)
class OpeningRatingAdmin(InputAdmin[OpeningRating]):
    """RBB 3.4: first ratings carried in."""

    list_display = ("effective_at", "member", "category", "rating", "games", "source")
    list_filter = ("category", "previously_unrated")
    list_select_related = ("member",)
    search_fields = ("member__username", "member__name", "source")
    autocomplete_fields = ("member",)
    readonly_fields = ("batch",)


@admin.register(OtbAdjustment)
class OtbAdjustmentAdmin(InputAdmin[OtbAdjustment]):
    """RBB 3.15: over-the-board changes."""

    list_display = ("effective_at", "member", "category", "period", "change", "source")
    list_filter = ("category", "period")
    list_select_related = ("member",)
    search_fields = ("member__username", "member__name", "source")
    autocomplete_fields = ("member",)
    readonly_fields = ("batch",)


@admin.register(ImportBatch)
class ImportBatchAdmin(ProjectionAdmin[ImportBatch]):
    """What an importer did."""

    list_display = ("imported_at", "source", "stored", "already_there", "refused", "imported_by")
    list_select_related = ("imported_by",)
    search_fields = ("source", "sha256")
