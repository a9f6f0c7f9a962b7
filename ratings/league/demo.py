"""Demo data of the league: a season with three cycles (the last one open), playoffs and a correction."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Final, NamedTuple

from ratings.formats.league import BoardRow, SquadRow
from ratings.league.models import Board, Player, Season
from ratings.league.services.corrections import correct_board
from ratings.league.services.cycles import close_cycle
from ratings.league.services.rounds import store_round
from ratings.league.services.squads import store_squads
from ratings.league.services.standings import table
from ratings.rbb.demo import GUEST, DemoArena, DemoMember
from ratings.rules.bal.cycles import BoardResult, MatchStage
from ratings.rules.units import Hundredths

_TEAMS: Final = (
    "Atlas Clearing",
    "Cedar Savings",
    "Granite Insurance",
    "Harbour Bank",
    "Lantern Press",
    "Meridian Trust",
    "Northern Mutual",
    "Union Securities",
)
_SCHEDULE: Final = 9
_CYCLES: Final = {
    4: 160,
    9: 70,
    11: None,
}
"""Last round of each cycle, and how many days ago it was closed. The last cycle can be closed now."""

_CORRECTED: Final = timedelta(days=24)
_BOARDS: Final = 4


class _Strong(NamedTuple):
    """A player of the demo. ``strength``: in points, even for a player without a rating."""

    name: str
    strength: int
    is_new: bool


def load_league_demo(arena: DemoArena) -> None:
    """Play eight teams, nine rounds, semi-finals and finals. Every third player is a member of the arena."""
    members = arena.members
    dice = random.Random(1924)  # noqa: S311  a fixed league, no secret
    guest = next(one for one in members if one.username == GUEST)
    of_the_arena = [guest, *dice.sample([one for one in members if one is not guest], 15)]
    squads = _squads(members, of_the_arena, dice)
    rows = [
        SquadRow(
            line=0,
            name=one.name,
            team=team,
            rating=None if one.is_new else Hundredths(100 * (one.strength + dice.randrange(-60, 61))),
            games=0 if one.is_new else dice.choice((3, 8, 14, 22, 35, 60)),
            captains_estimate=one.is_new,
        )
        for team, squad in squads.items()
        for one in squad
    ]
    season = store_squads(str(arena.at.year), rows, cycles=list(_CYCLES)).season
    players = {one.name: one for one in Player.objects.filter(league=season.league)}
    for member in of_the_arena:
        players[member.name].member = arena.stored[member.username]
    Player.objects.bulk_update(players.values(), ["member"])
    for number in range(1, _SCHEDULE + 1):
        _play(season, number, _pairs(number), squads, dice, arena.at)
    first, second, third, fourth = (line.team.name for line in table(season)[:4])
    semi_finals = [(first, fourth), (second, third)]
    stages = [MatchStage.SEMI_FINAL, MatchStage.SEMI_FINAL]
    winners = _play(season, _SCHEDULE + 1, semi_finals, squads, dice, arena.at, stages)
    losers = [team for team in (first, second, third, fourth) if team not in winners]
    finals = [(winners[0], winners[1]), (losers[0], losers[1])]
    stages = [MatchStage.FINAL, MatchStage.THIRD_PLACE]
    _play(season, _SCHEDULE + 2, finals, squads, dice, arena.at, stages)
    entered_wrongly = Board.objects.filter(match__season=season, result=BoardResult.DRAW).earliest("pk")
    corrected_at = arena.at - _CORRECTED
    correct_board(
        entered_wrongly, result=BoardResult.HOME, reason="score sheet: White won", by=None, at=corrected_at
    )


def _squads(
    members: Sequence[DemoMember], of_the_arena: Iterable[DemoMember], dice: random.Random
) -> dict[str, list[_Strong]]:
    """Return five or six players for each team. In teams of six, the last one is new."""
    known = [_Strong(one.name, max(600, min(2450, one.strength)), is_new=False) for one in of_the_arena]
    taken = {one.name for one in members}
    squads: dict[str, list[_Strong]] = {}
    for place, team in enumerate(_TEAMS):
        squad = known[2 * place : 2 * place + 2]
        while len(squad) < 5 + place % 2:
            # New combinations of the arena's names.
            last, first = (dice.choice(members).name.split(", ")[part] for part in (0, 1))
            if (name := f"{last}, {first}") not in taken:
                taken.add(name)
                squad.append(_Strong(name, round(dice.gauss(1700, 300)), is_new=len(squad) == 5))
        squads[team] = squad
    # One more team has a new player, so that two new players meet now and then.
    squads[_TEAMS[0]][-1] = squads[_TEAMS[0]][-1]._replace(is_new=True)
    return squads


def _pairs(number: int) -> list[tuple[str, str]]:
    """Return the pairs of a round of the schedule, in which everybody meets everybody."""
    turn, others = number - 1, len(_TEAMS) - 1
    circle = [_TEAMS[0], *(_TEAMS[1 + (place + turn) % others] for place in range(others))]
    pairs = [(circle[place], circle[-1 - place]) for place in range(len(_TEAMS) // 2)]
    return [pair if (turn + place) % 2 else pair[::-1] for place, pair in enumerate(pairs)]


def _play(
    season: Season,
    number: int,
    pairs: Iterable[tuple[str, str]],
    squads: Mapping[str, Sequence[_Strong]],
    dice: random.Random,
    at: datetime,
    stages: Iterable[MatchStage] = (),
) -> list[str]:
    """Play a round and close its cycle, ``at`` now or some days ago. Return the winners (home if drawn).

    A match has four boards, stronger players first. Now and then somebody doesn't come.
    """
    rows: list[BoardRow] = []
    winners = []
    for (home, away), stage in zip_longest(pairs, stages, fillvalue=MatchStage.SCHEDULE):
        lines = [
            sorted(dice.sample(squads[team], _BOARDS), key=lambda one: -one.strength) for team in (home, away)
        ]
        match = [
            BoardRow(
                0,
                number,
                home,
                away,
                board,
                one.name,
                other.name,
                _result(one.strength - other.strength, dice),
                stage,
            )
            for board, (one, other) in enumerate(zip(*lines, strict=True), 1)
        ]
        winners.append(home if sum(row.result.half_points for row in match) >= _BOARDS else away)
        rows += match
    store_round(season, rows)
    if days := _CYCLES.get(number):
        close_cycle(season, at=at - timedelta(days=days))
    return winners


def _result(difference: int, dice: random.Random) -> BoardResult:
    if dice.random() < 0.03:
        return dice.choice((BoardResult.HOME_FORFEIT, BoardResult.AWAY_FORFEIT))
    luck = dice.gauss(difference, 280)
    return BoardResult.HOME if luck > 90 else BoardResult.AWAY if luck < -90 else BoardResult.DRAW
