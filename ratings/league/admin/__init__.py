"""Admin pages of the team league: entering seasons, squads and matches, closing cycles, viewing lists."""

from ratings.league.admin.lists import CycleListAdmin, CycleResultAdmin
from ratings.league.admin.matches import MatchAdmin
from ratings.league.admin.seasons import (
    BoardAdmin,
    CycleAdmin,
    LeagueAdmin,
    PlayerAdmin,
    SeasonAdmin,
    SquadPlayerAdmin,
    TeamAdmin,
)

__all__ = [
    "BoardAdmin",
    "CycleAdmin",
    "CycleListAdmin",
    "CycleResultAdmin",
    "LeagueAdmin",
    "MatchAdmin",
    "PlayerAdmin",
    "SeasonAdmin",
    "SquadPlayerAdmin",
    "TeamAdmin",
]
