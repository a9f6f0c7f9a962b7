"""The table of a season, and what its teams reached in the play-offs.

The BAL's text says nothing about standings, so the usual rules apply: more board points win a match, a won
match gives two points and a drawn one gives one. Forfeits count here, play-offs don't: they are apart. Both
teams lose a match in which neither has a board point, because neither came. Whoever wins the final is the
champion. The text doesn't say who is after a drawn one, so nobody is, and page and file say why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ratings.league.models import Board, Season, Team
from ratings.rules.bal.cycles import BoardResult, MatchStage

_ORDER: Final = list(MatchStage)


@dataclass(slots=True)
class TeamLine:
    """A team's line in the table. ``half_points``: twice its board points.

    ``stage``: the last one that the team played in the play-offs; ``is_champion``: it won the final;
    ``drew_final``: the final was drawn.
    """

    team: Team
    match_points: int = 0
    half_points: int = 0
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    stage: MatchStage = MatchStage.SCHEDULE
    is_champion: bool = False
    drew_final: bool = False

    @property
    def reached(self) -> str:
        """The team's stage in the play-offs, in the words of files; empty without any."""
        if self.is_champion:
            return "champion"
        return f"{self.stage.value} (drawn)" if self.drew_final else self.stage.value


def table(season: Season) -> list[TeamLine]:
    """Return every team by match points, board points and name. A match without boards doesn't count."""
    lines = {team.pk: TeamLine(team) for team in Team.objects.filter(season=season)}
    scores: dict[tuple[str, int, int, int], list[int]] = defaultdict(lambda: [0, 0])
    finals: dict[int, int] = defaultdict(int)
    boards = Board.objects.filter(match__season=season)
    for stage, match, home, away, result in boards.values_list(
        "match__stage", "match", "match__home_team", "match__away_team", "result"
    ):
        score = scores[stage, match, home, away]
        score[0] += BoardResult(result).half_points
        score[1] += BoardResult(result).away_half_points
    for (stage, _match, home, away), (of_home, of_away) in scores.items():
        for team, own, other in ((home, of_home, of_away), (away, of_away, of_home)):
            if stage == MatchStage.SCHEDULE:
                _add(lines[team], own, other)
            else:
                lines[team].stage = max(lines[team].stage, MatchStage(stage), key=_ORDER.index)
            if stage == MatchStage.FINAL:
                finals[team] += own
    best = _best(finals)
    for team in best:
        lines[team].is_champion, lines[team].drew_final = len(best) == 1, len(best) == 2
    return sorted(
        lines.values(), key=lambda line: (-line.match_points, -line.half_points, line.team.name, line.team.pk)
    )


def _best(finals: Mapping[int, int]) -> list[int]:
    """Return the winner of the final, or of all matches of it together; both teams if it is drawn.

    Return nobody if there aren't two teams, or none of them came.
    """
    most = max(finals.values(), default=0)
    return [team for team, own in finals.items() if own == most > 0] if len(finals) == 2 else []


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
