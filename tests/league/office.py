"""A team league for the tests: squads, rounds and cycles in a line each."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ratings.formats.league import BoardRow, SquadRow, read_rounds, read_squads
from ratings.league.models import (
    Board,
    Cycle,
    CycleList,
    CycleResult,
    League,
    Match,
    Player,
    Season,
    SquadPlayer,
    Team,
)
from ratings.league.services.cycles import close_cycle, csv_rows, next_cycle
from ratings.league.services.rounds import RoundsStored, store_round
from ratings.league.services.squads import SquadsStored, store_squads
from ratings.rules.bal.cycles import BoardResult
from tests.formats.league_text import rounds_csv, squads_csv

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)

SQUADS = (
    "Adams,North,1600,30,no",
    "Abel,North,,,yes",
    "Baker,South,2000,25,no",
    "Boyd,South,,,yes",
)
"""Two teams of two for whoever needs a small season."""

ROUND_1 = ("1,North,South,1,Adams,Baker,1-0", "1,North,South,2,Abel,Boyd,1/2-1/2")
ROUND_2 = ("2,South,North,1,Baker,Adams,1-0", "2,South,North,2,Boyd,Abel,+/-")


def saved(path: Path, content: bytes) -> Path:
    """A file with this content."""
    path.write_bytes(content)
    return path


def bring_squads(*rows: str, season: str = "2026", **options: Any) -> SquadsStored:
    """Import squads."""
    return store_squads(season, read_squads(io.BytesIO(squads_csv(*rows))), **options)


def bring_round(season: Season, *rows: str, **options: Any) -> RoundsStored:
    """Import rounds."""
    return store_round(season, read_rounds(io.BytesIO(rounds_csv(*rows))), **options)


def small_season(cycles: Sequence[int] = (1, 2), name: str = "2026") -> Season:
    """SQUADS, and nothing played."""
    return bring_squads(*SQUADS, season=name, cycles=cycles).season


def board(round_: int, number: int, season: Season | None = None) -> Board:
    """A board of the only match of a round."""
    boards = Board.objects.filter(match__round=round_, number=number)
    return (boards if season is None else boards.filter(match__season=season)).get()


def close_all(season: Season) -> None:
    """Close every cycle that is open, a day after the other."""
    day = 0
    while next_cycle(season) is not None:
        close_cycle(season, at=NOW + timedelta(days=day))
        day += 1


def forget_lists(*seasons: Season) -> None:
    """As if no cycle had been closed yet."""
    CycleList.objects.filter(cycle__season__in=seasons).delete()
    Cycle.objects.filter(season__in=seasons).update(closed_at=None)


def lists(*seasons: Season) -> list[list[Any]]:
    """The lines of the latest lists of these seasons."""
    cycles = Cycle.objects.filter(season__in=seasons).order_by("season__ordinal", "number")
    found = [CycleList.objects.latest_of(cycle) for cycle in cycles]
    return [list(csv_rows(one)) for one in found if one is not None]


def everything() -> list[Any]:
    """Every row of what the league keeps."""
    models = (League, Season, Cycle, Team, Player, SquadPlayer, Match, Board, CycleList, CycleResult)
    return [list(model.objects.order_by("pk").values_list()) for model in models]


def large_squads(teams: int, dice: random.Random) -> list[SquadRow]:
    """Five players a team, the last of every third new."""
    return [
        SquadRow(0, f"Player {team}-{place}", f"Team {team}", None, 0, captains_estimate=True)
        if place == 4 and team % 3 == 0
        else SquadRow(
            0,
            f"Player {team}-{place}",
            f"Team {team}",
            dice.randrange(900_00, 2500_00),
            dice.randrange(60),
            captains_estimate=False,
        )
        for team in range(teams)
        for place in range(5)
    ]


def large_rounds(squads: Iterable[SquadRow], rounds: int, dice: random.Random) -> list[BoardRow]:
    """Every team in every round on four boards, with some forfeits."""
    by_team: dict[str, list[str]] = {}
    for row in squads:
        by_team.setdefault(row.team, []).append(row.name)
    results = [result for result in BoardResult for _ in range(1 if result.is_forfeit else 8)]
    rows = []
    for number in range(1, rounds + 1):
        teams = dice.sample(sorted(by_team), len(by_team))
        for home, away in zip(teams[::2], teams[1::2], strict=True):
            players = zip(dice.sample(by_team[home], 4), dice.sample(by_team[away], 4), strict=True)
            rows += [
                BoardRow(0, number, home, away, place, *pair, dice.choice(results))
                for place, pair in enumerate(players, 1)
            ]
    return rows
