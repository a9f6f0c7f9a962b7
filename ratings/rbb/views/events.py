"""The list of arena events, and each event with its standings and games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.files import FORMATS, TableFile, file_response
from foa.spreadsheet import Cell
from foa.text import utc_text
from foa.web.listing import FilteredTableView
from foa.web.negotiated import NegotiatedView
from foa.web.paging import page_of
from members.models import Member
from ratings.rbb.event_standings import EventLine, Standings, standings, with_spans
from ratings.rbb.filters import EventFilter
from ratings.rbb.models import ArenaEvent
from ratings.rbb.tables import EventGameTable, EventTable, StandingsTable

_PLAYERS: Final = 100
"""Maximum number of players shown on a page; its files have all of them."""

_GAMES: Final = 50
"""Number of games on a page."""

_COLUMNS: Final = ("place", "username", "name", "points", "games", "games_rated", "performance")


class EventListView(FilteredTableView):
    """Events of arenas, latest arrival first."""

    # The model's order is lost by grouping.
    queryset = ArenaEvent.objects.order_by("-pk")
    filterset_class = EventFilter
    table_class = EventTable
    title = pgettext_lazy("of an arena", "Events")
    intro = _("Arena tournaments.")
    file_name = "events"
    noun = "events"

    def complete(self, table: Any, rows: Sequence[Any]) -> None:
        spans = with_spans(ArenaEvent.objects.filter(pk__in=[event.pk for event in rows])).in_bulk()
        for event in rows:
            found = spans[event.pk]
            event.number, event.started_at, event.ended_at = found.number, found.started_at, found.ended_at


class EventView(NegotiatedView[ArenaEvent]):
    """An event: its standings and its games, latest first. The standings are also files."""

    template_name = "ratings/event.html"
    context_object_name = "event"
    formats = tuple(FORMATS)

    def get_queryset(self) -> QuerySet[ArenaEvent]:
        return with_spans(ArenaEvent.objects.all())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the standings, with the first players as a table, and a page of games."""
        found = standings(self.object)
        table = EventGameTable(())
        if not self.format:
            page = page_of(self.object.games.with_names(), self.request.GET, _GAMES)
            table = EventGameTable(page.rows)
            table.page = page
        return super().get_context_data(
            standings=found,
            players=StandingsTable(found.lines[:_PLAYERS]),
            shown=_PLAYERS,
            table=table,
            file_formats=[name for name in FORMATS if name != "json"],
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        return event_json(self.object, context["standings"])

    def in_format(self, name: str) -> HttpResponse:
        """Return the standings as a file."""
        lines = standings(self.object).lines
        file = TableFile(
            name=f"event-{self.object.pk}",
            columns=_COLUMNS,
            source=Member.everybody.filter(pk__in=[line.member.pk for line in lines]),
            rows=_rows(lines),
            noun="standings",
        )
        response: Any = file_response(file, name, FORMATS[name])
        return response  # type: ignore[no-any-return]  # it streams


def event_json(event: Any, found: Standings) -> dict[str, Any]:
    """Return an event, with its games counted (``with_spans``), and its standings."""
    return {
        "id": event.external_id,
        "url": event.get_absolute_url(),
        "name": event.name,
        "arena_url": event.url or None,
        "games": event.number,
        "started_at": event.started_at and utc_text(event.started_at),
        "ended_at": event.ended_at and utc_text(event.ended_at),
        "categories": sorted(one.slug for one in found.categories),
        "standings": [dict(zip(_COLUMNS, row, strict=True)) for row in _rows(found.lines)],
    }


def _rows(lines: Iterable[EventLine]) -> Iterator[Sequence[Cell]]:
    for line in lines:
        yield (
            line.place,
            line.member.username,
            line.member.name,
            Decimal(line.half_points) / 2,
            line.games,
            line.rated,
            line.performance,
        )
