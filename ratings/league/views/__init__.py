"""Public pages of the team league."""

from ratings.league.views.lists import CycleFileView, CycleListView
from ratings.league.views.players import PlayerCycleView, PlayerFileView, PlayerView
from ratings.league.views.seasons import (
    RoundsFileView,
    SeasonListView,
    SeasonView,
    SquadFileView,
    StandingsFileView,
    TeamView,
)

__all__ = [
    "CycleFileView",
    "CycleListView",
    "PlayerCycleView",
    "PlayerFileView",
    "PlayerView",
    "RoundsFileView",
    "SeasonListView",
    "SeasonView",
    "SquadFileView",
    "StandingsFileView",
    "TeamView",
]
