"""Over-the-board lists, their lines, and the results they are made of, to look at.

Players to whom B.02 7.14(g) applies are entered here.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.office.admin.base import OfFideId, ProjectionAdmin
from ratings.office.admin.deciding import DecisionPages
from ratings.otb.citations import edition_of_list
from ratings.otb.models import AssociationMember, OtbList, OtbListEntry, TournamentResult
from ratings.rules.b02.types import Topic


@admin.register(OtbList)
class OtbListAdmin(DecisionPages, ProjectionAdmin[OtbList]):
    """A published list. Its lines have a page of their own, since there may be a million."""

    decisions = {"close": "close-period"}

    list_display = (
        "list_day",
        "chapter",
        "revision",
        "public_page",
        "tournaments",
        "players",
        "new_players",
        "delisted",
        "published_at",
        "entries",
    )
    export_display = (
        "list_day",
        "chapter",
        "edition",
        "revision",
        "tournaments",
        "players",
        "new_players",
        "delisted",
        "published_at",
        "checksum",
    )
    sortable_by = ()
    fields = (
        "list_day",
        "chapter",
        "edition",
        "revision",
        "taken_from",
        "public_page",
        "tournaments",
        "players",
        "new_players",
        "delisted",
        "checksum",
        "published_at",
        "published_by",
        "entries",
        "report",
    )
    readonly_fields = ("public_page", "entries", "report")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the lists, with a button for users who may close a period."""
        may = {"may_close": self.may_decide(request, "close-period")}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    @admin.display(description=_("links"))
    def public_page(self, otb_list: OtbList) -> SafeString:
        """Link to the list's page, where it can be downloaded in every layout."""
        return format_html(
            '<a href="{}" aria-label="{}">{}</a>',
            otb_list.get_absolute_url(),
            otb_list,
            gettext("List and downloads"),
        )

    @admin.display(description=_("report"))
    def report(self, otb_list: OtbList) -> SafeString:
        """Link to the figures that B.02 10.3 and 12.3 ask to watch."""
        has_games = edition_of_list(otb_list).has(Topic.MANY_GAMES)
        name = gettext("Rating scale and games") if has_games else gettext("How the rating scale has moved")
        return format_html('<a href="{}">{}</a>', otb_list.address("report"), name)

    @admin.display(description=_("lines"))
    def entries(self, otb_list: OtbList) -> SafeString:
        """Link to the lines of the list."""
        address = reverse("admin:otb_otblistentry_changelist")
        return format_html(
            '<a href="{}?otb_list__id__exact={}">{}</a>', address, otb_list.pk, gettext("Lines")
        )


@admin.register(OtbListEntry)
class OtbListEntryAdmin(OfFideId[OtbListEntry], ProjectionAdmin[OtbListEntry]):
    """The lines of lists."""

    list_display = (
        "otb_list",
        "name",
        "fide_id",
        "title",
        "federation",
        "rating",
        "previous",
        "k",
        "games",
        "games_counted",
        "last_game",
    )
    list_filter = ("otb_list",)
    list_select_related = ("otb_list",)
    # As the index has them; by the model's own order the lists would be joined and sorted.
    ordering = ("otb_list_id", "folded", "fide_id")


@admin.register(TournamentResult)
class TournamentResultAdmin(OfFideId[TournamentResult], ProjectionAdmin[TournamentResult]):
    """Results of players in rated tournaments."""

    list_display = (
        "tournament",
        "number",
        "name",
        "fide_id",
        "rating",
        "k",
        "rated_games",
        "half_points",
        "average",
        "expected",
        "change",
        "new_rating",
    )
    list_select_related = ("tournament",)
    ordering = ("tournament_id", "number")


@admin.register(AssociationMember)
class AssociationMemberAdmin(OfFideId[AssociationMember]):
    """B.02 7.14(g): players for whose first rating seven games are enough.

    They are neither deleted nor moved to another day: published lists would no longer agree.
    """

    list_display = ("fide_id", "association", "since")
    list_filter = ("association",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Make the FIDE ID and the first day of a stored row read-only."""
        return () if obj is None else ("fide_id", "since")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: published lists depend on it."""
        return False
