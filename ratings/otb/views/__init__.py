"""The public pages of tournaments over the board, the office's lists of them, and players."""

from ratings.otb.views.lists import OtbArchiveView, OtbFileView, OtbListView, OtbReportView, OtbTopView
from ratings.otb.views.players import PlayerView
from ratings.otb.views.tournaments import (
    CrossTableFileView,
    TournamentListView,
    TournamentPlayerView,
    TournamentView,
)

__all__ = [
    "CrossTableFileView",
    "OtbArchiveView",
    "OtbFileView",
    "OtbListView",
    "OtbReportView",
    "OtbTopView",
    "PlayerView",
    "TournamentListView",
    "TournamentPlayerView",
    "TournamentView",
]
