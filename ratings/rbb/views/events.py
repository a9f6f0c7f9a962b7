"""The list of arena events, and each event with its standings and games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.files import FORMATS, TableFile, file_response
from foa.spreadsheet import Cell
from foa.text import utc_text
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.listing import FilteredTableView
from foa.web.negotiated import NegotiatedView
from foa.web.paging import page_of
from members.models import Member, member_of
from ratings.formats.game_details import MAX_ROUND
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

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:events")

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
        rounds: list[str] = []
        if not self.format:
            rounds = rounds_of(self.object)
            games = self.object.games.with_names()
            shown = self.request.GET.get("round")
            page = page_of(games.filter(round=shown) if shown in rounds else games, self.request.GET, _GAMES)
            table = EventGameTable(page.rows)
            table.page = page
            kwargs |= {"own": self._own_games(), "rounds": rounds, "round": shown}
        return super().get_context_data(
            standings=found,
            players=StandingsTable(found.lines[:_PLAYERS]),
            shown=_PLAYERS,
            table=table,
            file_formats=[name for name in FORMATS if name != "json"],
            **kwargs,
        )

    def _own_games(self) -> EventGameTable | None:
        """Return the games of the member who is logged in; None if they didn't play."""
        member = member_of(self.request.user)
        if member is None:
            return None
        games = self.object.games.filter(Q(white=member) | Q(black=member)).with_names()
        rows = list(games.order_by("-ended_at", "-pk")[:_GAMES])
        return EventGameTable(rows) if rows else None

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        return event_json(self.object, context["standings"])

    def json_deprecated(self) -> Deprecation:
        """Return the address of the event in the API."""
        return Deprecation(*JSON_GOES, "arena:event", {"id": self.object.pk})

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


def rounds_of(event: ArenaEvent) -> list[str]:
    """Return the rounds that games of an event have, in order: 2 before 10, and 3.1 before 3.2."""
    found = event.games.exclude(round="").order_by().values_list("round", flat=True).distinct()
    return sorted(
        found, key=lambda one: [(not part.isdecimal(), part.zfill(MAX_ROUND)) for part in one.split(".")]
    )


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
