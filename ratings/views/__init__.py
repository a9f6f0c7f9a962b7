"""The public pages of ratings."""

from ratings.views.games import GameListView, GameView
from ratings.views.home import HomeView
from ratings.views.ledger import ChangeListView, ChangeView
from ratings.views.lists import LiveRatingView

__all__ = ["ChangeListView", "ChangeView", "GameListView", "GameView", "HomeView", "LiveRatingView"]
