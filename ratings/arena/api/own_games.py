"""Many games of a server at once: sent, and those in progress read back, for instance after a crash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.db.models import QuerySet
from django.db.models.functions import Left

from foa.list_rows import ListRows, text
from foa.spreadsheet import Cell
from ratings.arena.api.bulk import GamesInBulkView
from ratings.arena.api.permissions import server_of
from ratings.arena.api.public.paged import Paged, described
from ratings.arena.filters import OwnGamesFilter
from ratings.rbb.lists.exports import GAMES
from ratings.rbb.models import Game

_OWN_GAMES: Final = ListRows(
    "A game of the server that asks.",
    **GAMES.columns,
    own_id=text("external_id", help="The server's own id."),
)


@described(
    "own_games",
    "OwnGameRow",
    _OWN_GAMES,
    summary="Your games in progress, latest first",
    description=(
        "What a server asks after a crash: its own games that have neither ended nor been voided. Send the "
        "end of each that has ended meanwhile. Who was gone is at `/api/v1/games/{external_id}/presence`."
    ),
)
class OwnGamesView(GamesInBulkView, Paged):
    """The games of the server that asks."""

    filterset_class = OwnGamesFilter
    noun = "games"

    def source(self, **place: Any) -> QuerySet[Any]:
        prefix = server_of(self.request).external_id("")
        # Not startswith, which ignores case on SQLite.
        return Game.objects.alias(server=Left("external_id", len(prefix))).filter(server=prefix)

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        prefix = server_of(self.request).external_id("")
        return ((*row, str(own_id).removeprefix(prefix)) for *row, own_id in super().rows(queryset))
