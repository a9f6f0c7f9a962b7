"""Inputs: games, opening ratings and over-the-board adjustments, and the time controls they refer to."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from foa.web.admin_history import HistoryAdmin
from ratings.admin.base import InputAdmin, OfMembers
from ratings.admin.corrections import CorrectableAdmin
from ratings.models import Game, ImportBatch, OpeningRating, OtbAdjustment, RatingChange, TimeControl
from ratings.office.admin.base import LookAtOnly, ProjectionAdmin


@admin.register(TimeControl)
class TimeControlAdmin(LookAtOnly, HistoryAdmin[TimeControl]):
    """RBB 2.3 fixes which controls are rated, so there is nothing to edit."""

    list_display = ("__str__", "initial", "increment", "category")
    list_filter = ("category",)
    fields = ("initial", "increment", "category")


class VoidFilter(admin.SimpleListFilter):
    """Void games, or all others."""

    title = _("void")
    parameter_name = "void"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Yes or no."""
        return [("yes", _("Yes")), ("no", _("No"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> QuerySet[Game]:
        """By the moment of voiding."""
        if self.value() not in ("yes", "no"):
            return queryset
        return queryset.filter(voided_at__isnull=self.value() == "no")


@admin.register(Game)
class GameAdmin(OfMembers[Game], CorrectableAdmin):
    """A game. Saving it rates it, and everything after it that it touches."""

    list_display = ("ended_at", "white", "black", "result", "time_control", "rated", "voided_at")
    list_filter = ("rated", VoidFilter, "result", "time_control__category")
    list_select_related = ("white", "black", "time_control")
    date_hierarchy = "ended_at"
    sortable_by = ("ended_at",)
    search_fields = ("white", "black")
    search_help_text = _("The whole external id, or part of a player's name or username, or his FIDE ID")
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
        "ledger",
    )
    readonly_fields = ("batch", "voided_at", "voided_by", "void_reason", "ledger")

    @admin.display(description=_("Ledger"))
    def ledger(self, game: Game) -> SafeString:
        """What the game did to both players."""
        rows = RatingChange.objects.of_game(game).with_events() if game.pk else ()
        return render_to_string("admin/ratings/game/_ledger.html", {"rows": rows})

    def found(self, text: str, members: list[int]) -> Q:
        """The games of these members, and the one whose id elsewhere this is."""
        return super().found(text, members) | Q(external_id=text.strip())


@admin.register(OpeningRating)
class OpeningRatingAdmin(OfMembers[OpeningRating], InputAdmin[OpeningRating]):
    """RBB 3.4: first ratings carried in."""

    list_display = ("effective_at", "member", "category", "rating", "games", "source")
    list_filter = ("category", "previously_unrated")
    list_select_related = ("member",)
    autocomplete_fields = ("member",)
    readonly_fields = ("batch",)


@admin.register(OtbAdjustment)
class OtbAdjustmentAdmin(OfMembers[OtbAdjustment], InputAdmin[OtbAdjustment]):
    """RBB 3.15: over-the-board changes."""

    list_display = ("effective_at", "member", "category", "period", "change", "source")
    list_filter = ("category", "period")
    list_select_related = ("member",)
    autocomplete_fields = ("member",)
    readonly_fields = ("batch",)


@admin.register(ImportBatch)
class ImportBatchAdmin(ProjectionAdmin[ImportBatch]):
    """What an importer did."""

    list_display = ("imported_at", "source", "stored", "already_there", "refused", "imported_by")
    list_select_related = ("imported_by",)
    search_fields = ("source", "sha256")
