"""The list of games, and each game with what it did to both players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.spreadsheet import Cell
from foa.web.listing import FilteredTableView
from foa.web.negotiated import NegotiatedView
from ratings.as_json import game_json
from ratings.explanation.sides import notes_of, sides_of
from ratings.filters import GameFilter
from ratings.formats.main_line import MainLine, main_line
from ratings.models import Game
from ratings.office import rooms
from ratings.services.lists.exports import GAME_COLUMNS, game_rows
from ratings.tables import GameTable


class GameListView(FilteredTableView):
    """All games: the latest that ended first, those without an end last."""

    queryset = Game.objects.with_names()
    filterset_class = GameFilter
    table_class = GameTable
    template_name = "ratings/games.html"
    title = _("Games")
    file_name = "games"
    noun = "games"
    columns = GAME_COLUMNS

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return game_rows(queryset)


class GameView(NegotiatedView[Game]):
    """One game: the facts, why each rating moved or did not, and the moves. As HTML, JSON or PGN."""

    template_name = "ratings/game.html"
    context_object_name = "game"
    formats = ("json", "pgn")

    def get_queryset(self) -> QuerySet[Game]:
        return Game.objects.with_names()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """White, then Black; a link where the external id is an address."""
        game = self.object
        sides = sides_of(game, with_neighbours=True)
        return super().get_context_data(
            sides=sides,
            notes=notes_of(game, sides),
            duration=game.ended_at and game.ended_at - game.started_at,
            is_played=game.ended_at is None and not game.is_forgotten(timezone.now()),
            **self._board(main_line(game.pgn)),
            parts=rooms.game_parts(game),
            link=game.external_id if (game.external_id or "").startswith(("https://", "http://")) else "",
            **kwargs,
        )

    def _board(self, line: MainLine | None) -> dict[str, Any]:
        """The moves, and the position after the half-moves that were asked for, else the last one."""
        if line is None:
            return {"main_line": None}
        last = len(line.plies)
        asked = self.request.GET.get("ply", "")
        count = min(int(asked), last) if asked.isdecimal() and len(asked) < 5 else last
        return {
            "main_line": line,
            "shown": line.after(count),
            "previous": max(count - 1, 0),
            "following": min(count + 1, last),
        }

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        return game_json(self.object, context["sides"], context["notes"])

    def in_format(self, name: str) -> HttpResponse:
        """The PGN as it is stored."""
        if not self.object.pgn:
            raise Http404(gettext("The moves of this game are not stored."))
        return HttpResponse(
            f"{self.object.pgn}\n",
            content_type="application/x-chess-pgn",
            headers={"Content-Disposition": f'attachment; filename="game-{self.object.pk}.pgn"'},
        )
