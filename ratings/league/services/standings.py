"""The table of a season.

The BAL's text says nothing about standings, so the usual rules apply: more board points win a match, a won
match gives two points and a drawn one gives one. Forfeits count here, and so does every round, playoffs
included. Both teams lose a match in which neither has a board point, because neither came.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ratings.league.models import Board, Season, Team
from ratings.rules.bal.types import BoardResult


@dataclass(slots=True)
class TeamLine:
    """A team's line in the table. ``half_points``: twice its board points."""

    team: Team
    match_points: int = 0
    half_points: int = 0
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0


def table(season: Season) -> list[TeamLine]:
    """Return every team by match points, board points and name. A match without boards doesn't count."""
    lines = {team.pk: TeamLine(team) for team in Team.objects.filter(season=season)}
    scores: dict[tuple[int, int, int], list[int]] = defaultdict(lambda: [0, 0])
    boards = Board.objects.filter(match__season=season)
    for match, home, away, result in boards.values_list(
        "match", "match__home_team", "match__away_team", "result"
    ):
        score = scores[match, home, away]
        score[0] += BoardResult(result).half_points
        score[1] += BoardResult(result).away_half_points
    for (_match, home, away), (of_home, of_away) in scores.items():
        _add(lines[home], of_home, of_away)
        _add(lines[away], of_away, of_home)
    return sorted(
        lines.values(), key=lambda line: (-line.match_points, -line.half_points, line.team.name, line.team.pk)
    )


def _add(line: TeamLine, own: int, other: int) -> None:
    line.matches += 1
    line.half_points += own
    if own > other:
        line.wins += 1
        line.match_points += 2
    elif own == other > 0:
        line.draws += 1
        line.match_points += 1
    else:
        line.losses += 1
