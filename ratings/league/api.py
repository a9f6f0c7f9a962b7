"""Cycles of team leagues and their lists in the API: what the pages and files say; read-only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet
from django.urls import path
from django.utils.translation import gettext as _
from django_filters import CharFilter
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.exceptions import NotFound

from foa.list_rows import ListRows, whole
from foa.spreadsheet import Cell
from foa.text import utc_text
from members.words import with_words
from ratings.arena.api.public_pages import PagedView, described, in_path
from ratings.league.models import Cycle, CycleList
from ratings.league.services.cycles import CYCLES, LINES, by_rating, in_season_order
from ratings.league.tables import CycleResultFilter, SeasonFilter

_CYCLES: Final = ListRows(
    CYCLES.about, CYCLES.prepare, season_id=whole(help="Our number for the season."), **CYCLES.columns
)


class CyclesFilter(SeasonFilter):
    """Filter for the season's name."""

    def filter_season(self, queryset: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Keep cycles of seasons with all these words in their names."""
        return with_words(queryset, value, "season__name")


class LinesFilter(CycleResultFilter):
    """Filters for the lines of a list; a team by its name."""

    team = CharFilter(label="Name of the team", max_length=100, field_name="team__name", lookup_expr="iexact")
    order = None  # so a filter is left out


@described(
    "league_cycles",
    "LeagueCycle",
    _CYCLES,
    summary="Cycles of the team leagues, the latest season first",
    description="When a cycle ends, all its games are rated together. A cycle that isn’t closed yet has "
    "no list.",
)
class CyclesView(PagedView):
    """The cycles of all seasons."""

    filterset_class = CyclesFilter
    noun = "cycles"

    def source(self, **place: Any) -> QuerySet[Any]:
        return in_season_order(Cycle.objects.all())


@described(
    "league_list_players",
    "LeagueListLine",
    LINES,
    summary="The lines of a league list, by rating",
    description="A published list never changes; a correction is published as a new revision.",
    about={
        "league": serializers.CharField(),
        "season": serializers.CharField(),
        "cycle": serializers.IntegerField(),
        "revision": serializers.IntegerField(),
        "published_at": serializers.DateTimeField(),
        "checksum": serializers.CharField(help_text="SHA-256 of the list as CSV."),
    },
    parameters=[
        in_path("id", "4711", "The number of the season.", kind=OpenApiTypes.INT),
        in_path("number", "1", "The cycle.", kind=OpenApiTypes.INT),
        in_path(
            "revision",
            "1",
            "The revision. Each list is first published as revision 1.",
            kind=OpenApiTypes.INT,
        ),
    ],
)
class ListPlayersView(PagedView):
    """The players on the list of a cycle."""

    filterset_class = LinesFilter
    noun = "players"
    published: CycleList

    def source(self, **place: Any) -> QuerySet[Any]:
        lists = CycleList.objects.of_season(place["id"]).of_number(place["number"])
        found = lists.in_revision(place["revision"]).select_related("cycle__season__league").first()
        if found is None:
            raise NotFound(_("No such list has been published."))
        self.published = found
        return by_rating(found)

    def about(self) -> Mapping[str, Cell]:
        cycle = self.published.cycle
        return {
            "league": cycle.season.league.name,
            "season": cycle.season.name,
            "cycle": cycle.number,
            "revision": self.published.revision,
            "published_at": utc_text(self.published.published_at),
            "checksum": self.published.checksum,
        }


def _latest_list() -> dict[str, Any]:
    found = CycleList.objects.select_related("cycle").order_by("-pk").first()
    if found is None:
        return {}
    return {"id": found.cycle.season_id, "number": found.cycle.number, "revision": found.revision}


EXAMPLES: Final = {"league": _latest_list}

urlpatterns = [
    path("league/cycles", CyclesView.as_view(), name="league_cycles"),
    path(
        "league/seasons/<int:id>/cycles/<int:number>/<int:revision>/players",
        ListPlayersView.as_view(),
        name="league_list_players",
    ),
]
