"""Public pages of FIDE's lists and players."""

from ratings.fide.views.lists import FideListView, PlayerListView

__all__ = ["FideListView", "PlayerListView"]
