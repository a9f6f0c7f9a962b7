"""The public pages of chess over the board: FIDE's lists, tournaments under B.02, and the office's lists."""

from ratings.fide.views.lists import FideListView, PlayerListView
from ratings.fide.views.otb import OtbArchiveView, OtbFileView, OtbListView, OtbTopView
from ratings.fide.views.players import PlayerView
from ratings.fide.views.tournaments import (
    CrossTableFileView,
    TournamentListView,
    TournamentPlayerView,
    TournamentView,
)

__all__ = [
    "CrossTableFileView",
    "FideListView",
    "OtbArchiveView",
    "OtbFileView",
    "OtbListView",
    "OtbTopView",
    "PlayerListView",
    "PlayerView",
    "TournamentListView",
    "TournamentPlayerView",
    "TournamentView",
]
