"""Admin pages of imported lists, the players in force, and the ratings that lists give FIDE IDs."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import NOTHING, utc
from foa.web.admin import ChoiceFilter, TypedFilter
from ratings.fide.admin.first_ratings import FirstRatingsAdmin
from ratings.fide.admin.importing import ImportingAdmin
from ratings.fide.decisions.announcing import decision_to_announce
from ratings.fide.models import (
    Announcement,
    DoubleRating,
    FideList,
    FidePlayer,
    FidePlayerQuerySet,
    FideRating,
)
from ratings.fide.services.lists import in_force
from ratings.office.admin.base import OfFideId, ProjectionAdmin
from ratings.office.decision_types import decision_address, kind_of


class FederationFilter(TypedFilter):
    """Filter by federation."""

    title = _("federation")
    parameter_name = "federation"

    def queryset(self, request: HttpRequest, queryset: QuerySet[FidePlayer]) -> QuerySet[FidePlayer]:
        """Keep players of one federation, by FIDE's code in capital letters."""
        code = self.value()
        return queryset.filter(federation=code.strip().upper()) if code else queryset


@admin.register(FideList)
class FideListAdmin(ImportingAdmin, FirstRatingsAdmin):
    """An imported list, with the pages that import, announce and use one."""

    decisions = {
        "announce": "announce",
        "undo": "take-back-announcement",
        "waiting": "first-ratings",
        "watch": "redetermine-first-ratings",
    }
    list_display = ("period", "control", "announcement", "rows", "refused", "imported_at")
    list_filter = ("control",)
    fields = (
        "period",
        "control",
        "in_force",
        "source",
        "sha256",
        "rows",
        "refused",
        "added",
        "changed",
        "removed",
        "imported_at",
        "imported_by",
        "announcement",
    )
    readonly_fields = ("in_force", "announcement")

    def get_queryset(self, request: HttpRequest) -> QuerySet[FideList]:
        """Add the moment at which the month's changes were announced."""
        announced = Announcement.objects.filter(period=OuterRef("period")).values("announced_at")
        return super().get_queryset(request).annotate(announced_at=Subquery(announced))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, with buttons for users who may use them."""
        may = {
            "may_import": self.has_import_permission(request),
            "may_see_members": self.may_see_members(request),
            "may_redetermine": self.may_decide(request, "redetermine-first-ratings"),
        }
        return super().changelist_view(request, {**may, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the page. Users who may do so can announce the list, or undo that."""
        fide_list = self.get_object(request, object_id)
        may = {
            "may_announce": self.may_decide(request, "announce"),
            "announced_by": decision_to_announce(fide_list.period) if fide_list else None,
        }
        return super().change_view(request, object_id, form_url, {**may, **(extra_context or {})})

    @admin.display(description=_("in force"))
    def in_force(self, fide_list: FideList) -> str:
        """Name the controls whose ratings in force are from this list."""
        return ", ".join(control for control, one in in_force().items() if one == fide_list) or NOTHING

    @admin.display(description=_("announced"))
    def announcement(self, fide_list: Any) -> str:
        """Return when the month's changes were added to the ratings (RBB 3.15)."""
        return utc(fide_list.announced_at)


@admin.register(FidePlayer)
class FidePlayerAdmin(ProjectionAdmin[FidePlayer]):
    """A player of the list in force."""

    list_display = (
        "name",
        "fide_id",
        "title",
        "federation",
        "birth_year",
        "standard_rating",
        "rapid_rating",
        "blitz_rating",
        "flag",
    )
    list_filter = (FederationFilter,)
    sortable_by = ()
    search_fields = ("name",)
    search_help_text = _("Start of a name (last name first), or a FIDE ID")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[FidePlayer], search_term: str
    ) -> tuple[QuerySet[FidePlayer], bool]:
        """Search as the public page does, with the same indexes."""
        rows = cast(FidePlayerQuerySet, queryset)
        return (rows.matching(search_term) if search_term else rows), False


@admin.register(Announcement)
class AnnouncementAdmin(ProjectionAdmin[Announcement]):
    """An announcement; its adjustments are those of its month."""

    list_display = ("period", "source", "count", "announced_at", "announced_by")
    list_select_related = ("announced_by",)


@admin.register(FideRating)
class FideRatingAdmin(OfFideId[FideRating], ProjectionAdmin[FideRating]):
    """Admin of members' ratings in FIDE lists."""

    list_display = ("fide_id", "control", "period", "rating", "games")
    list_filter = ("control",)


class UndecidedFilter(ChoiceFilter):
    """Filter for double ratings that wait for a choice."""

    title = _("chosen")
    parameter_name = "undecided"
    options = (("yes", _("not chosen yet")),)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep rows of FIDE IDs for which no row is chosen."""
        if self.value() != "yes":
            return queryset
        return queryset.filter(pk__in=DoubleRating.objects.undecided().values("pk"))


@admin.register(DoubleRating)
class DoubleRatingAdmin(OfFideId[DoubleRating], ProjectionAdmin[DoubleRating]):
    """A row of a list with a rating that another row contradicts."""

    list_display = ("fide_id", "name", "fide_list", "control", "rating", "games", "k", "line", "is_chosen")
    export_display = list_display
    list_select_related = ("fide_list",)
    list_filter = (UndecidedFilter, "control")

    def get_list_display(self, request: HttpRequest) -> Any:
        """Add the button for users who may choose."""
        may = request.user.has_perm(kind_of("choose-double-rating").permission)
        return (*self.list_display, "decide") if may else self.list_display

    @admin.display(description=_("decision"))
    def decide(self, row: DoubleRating) -> SafeString | str:
        """Link to the decision that chooses this row, or that undoes the choice."""
        name = "take-back-double-rating" if row.is_chosen else "choose-double-rating"
        address = decision_address(name, {"row": [str(row.pk)]})
        text = gettext("Reverse") if row.is_chosen else gettext("Choose")
        return format_html('<a href="{}">{}</a>', address, text) if row.pk else NOTHING
