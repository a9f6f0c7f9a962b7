"""The list of games, and each game with what it did to both players."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from foa.web.listing import FilteredTableView
from foa.web.typed import DetailView
from ratings.explanation import explain
from ratings.filters import GameFilter
from ratings.models import Game, RatingChange
from ratings.tables import GameTable

__all__ = ["GameListView", "GameView"]


class GameListView(FilteredTableView):
    """All games, latest first."""

    queryset = Game.objects.with_names()
    filterset_class = GameFilter
    table_class = GameTable
    title = _("Games")


class GameView(DetailView[Game]):
    """One game: the facts, why it counts or does not, and the ledger line of each player explained."""

    template_name = "ratings/game.html"
    context_object_name = "game"

    def get_queryset(self) -> QuerySet[Game]:
        """With its players and its control."""
        return Game.objects.with_names()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """White's line, then Black's; a link where the external id is an address."""
        game = self.object
        changes = RatingChange.objects.of_game(game).select_related("member", "opponent")
        return super().get_context_data(
            explained=[(change, explain(change)) for change in changes],
            link=game.external_id if (game.external_id or "").startswith(("https://", "http://")) else "",
            **kwargs,
        )
