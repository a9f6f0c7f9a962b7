"""Public pages of a cycle's rating list, and the file that its checksum is of."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext
from django.views import View

from foa.files import csv_response
from foa.web.caching import frozen
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.listing import FilteredTableView
from ratings.league.models import CycleList, CycleResult
from ratings.league.services.cycles import LINES, by_rating, csv_rows
from ratings.league.tables import CycleResultFilter, CycleResultTable


class CycleListView(FilteredTableView):
    """The ratings after a cycle, as they were published. Visitors may get a page that is a minute old."""

    filterset_class = CycleResultFilter
    table_class = CycleResultTable
    template_name = "league/list.html"
    noun = "players"
    published: CycleList

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.published = _list(**kwargs)

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        place = {"id": self.kwargs["pk"], **{name: self.kwargs[name] for name in ("number", "revision")}}
        return Deprecation(*JSON_GOES, "arena:league_list_players", place)

    def get_queryset(self) -> QuerySet[CycleResult]:
        return by_rating(self.published).select_related("team", "cycle_list", "player__member")

    def get_table(self, **kwargs: Any) -> Any:
        """Show all rows on one page: a league has some hundred players."""
        return self.table_class(list(self.object_list), **kwargs)

    def get_title(self) -> str:
        cycle = self.published.cycle
        words = {
            "league": cycle.season.league,
            "season": cycle.season,
            "number": cycle.number,
            "revision": self.published.revision,
        }
        if self.published.revision > 1:
            text = gettext("%(league)s %(season)s, ratings after cycle %(number)d, revision %(revision)d")
        else:
            text = gettext("%(league)s %(season)s, ratings after cycle %(number)d")
        return text % words

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the list, and the one that replaced it."""
        superseded_by = self.published.superseded_by
        if superseded_by is not None:
            superseded_by.cycle = self.published.cycle
        return super().get_context_data(published=self.published, superseded_by=superseded_by, **kwargs)

    @property
    def file_name(self) -> str:  # type: ignore[override]  # other pages have one name
        return _file_name(self.published)


class CycleFileView(View):
    """The whole list as CSV. Caches ask each time whether it is the same: a player on it may be erased."""

    def get(self, request: HttpRequest, pk: int, number: int, revision: int) -> HttpResponseBase:
        """Return the file that the checksum is of."""
        published = _list(pk, number, revision)
        make = partial(csv_response, _file_name(published), LINES.names, csv_rows(published))
        since = published.withdrawn_at or published.published_at
        response = frozen(request, make, checksum=published.checksum, since=since)
        response.headers["Cache-Control"] = "no-cache"
        return response


def _list(pk: int, number: int, revision: int) -> CycleList:
    lists = CycleList.objects.of_season(pk).of_number(number).in_revision(revision)
    found = lists.select_related("cycle__season__league").first()
    if found is None:
        raise Http404(gettext("No such list has been published."))
    return found


def _file_name(published: CycleList) -> str:
    """Return the name of the file without its ending."""
    name = f"league-season-{published.cycle.season_id}-cycle-{published.cycle.number}"
    return name if published.revision == 1 else f"{name}-revision-{published.revision}"
