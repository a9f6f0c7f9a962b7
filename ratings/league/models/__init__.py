"""Models of the team league."""

from ratings.league.models.cycles import Cycle, CycleList, CycleResult
from ratings.league.models.seasons import Board, League, Match, Player, Season, SquadPlayer, Team

__all__ = [
    "Board",
    "Cycle",
    "CycleList",
    "CycleResult",
    "League",
    "Match",
    "Player",
    "Season",
    "SquadPlayer",
    "Team",
]
