"""The first page: who leads, and what was played last."""

from __future__ import annotations

from typing import Any

from django.views.generic import TemplateView

from ratings.models import Game, Rating
from ratings.rules.time_controls import Category
from ratings.tables import GameTable
from ratings.views.lists import live_ratings

__all__ = ["HomeView"]

LEADERS = 10
LATEST_GAMES = 10


class HomeView(TemplateView):
    """The leaders of each category, the latest rated games, and a search for members."""

    template_name = "ratings/home.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Leaders by category, and the table of the latest games."""
        leaders: dict[Category, list[Rating]] = {
            category: list(live_ratings(category)[:LEADERS]) for category in Category
        }
        games = list(Game.objects.counting().with_names().order_by("-ended_at", "-pk")[:LATEST_GAMES])
        table = GameTable(games, exclude=("status",))
        return super().get_context_data(leaders=leaders, table=table, **kwargs)
