"""FIDE's lists and players in the API: the rows and filters of the pages; read-only."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.urls import path

from ratings.arena.api.public_pages import PagedView, described
from ratings.fide.models import FideList, FidePlayer
from ratings.fide.tables import FideListFilter, FideListTable, FidePlayerFilter, FidePlayerTable


@described(
    "fide_players",
    "FidePlayerRow",
    FidePlayerTable.in_files,
    summary="Players on the FIDE list in force, by name",
    description="`player` can be a FIDE ID, or the beginnings of names in any order.",
)
class FidePlayersView(PagedView):
    """The players of the FIDE list in force."""

    filterset_class = FidePlayerFilter
    noun = "players"

    def source(self, **place: Any) -> QuerySet[Any]:
        return FidePlayer.objects.order_by("folded", "pk")


@described(
    "fide_lists",
    "FideListRow",
    FideListTable.in_files,
    summary="Imported FIDE lists, latest first",
)
class FideListsView(PagedView):
    """The lists imported from FIDE."""

    filterset_class = FideListFilter
    noun = "lists"

    def source(self, **place: Any) -> QuerySet[Any]:
        return FideList.objects.order_by("-period", "-pk")


urlpatterns = [
    path("fide/players", FidePlayersView.as_view(), name="fide_players"),
    path("fide/lists", FideListsView.as_view(), name="fide_lists"),
]
