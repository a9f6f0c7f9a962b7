"""What the tests of the whole house need to know of the league."""

from decimal import Decimal
from typing import Final

from members.models import FullMembership, Member
from ratings.formats.league import ROUND_COLUMNS, SQUAD_COLUMNS
from ratings.league.explanation import explain
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
from ratings.league.services.cycles import LINES, rate
from ratings.office.models import ChangeSet, FileImport, Job, MovedRating
from ratings.organizers.models import Scope, Submission
from ratings.rbb.demo import GUEST
from ratings.rules.bal.cycles import BoardResult
from tests.arena import START
from tests.equations import check_explanation

_INPUTS: Final = (League, Season, Cycle, Team, Player, SquadPlayer, Match, Board)

OFFICERS: Final = {
    **dict.fromkeys(_INPUTS, frozenset({"add", "change", "delete", "view"})),
    CycleResult: frozenset({"view"}),
    CycleList: frozenset({"view", "close"}),
}

GROUPS: Final = {
    "League": {
        **OFFICERS,
        **dict.fromkeys(
            (Member, FullMembership, ChangeSet, FileImport, MovedRating, Job), frozenset({"view"})
        ),
        Scope: frozenset({"view", "add", "change"}),
        Submission: frozenset({"view", "change"}),
    }
}

PAGES: Final = {
    "everybody": """
        league:seasons league:season league:table_file league:rounds_file league:list league:list_file
        league:team league:squad_file league:player league:player_file league:player_cycle
        arena:league_cycles arena:league_list_players
    """,
    "league.change_match": "admin:league_match_round",
    "league.change_board": "admin:league_board_correct",
    "league.change_squadplayer": "admin:league_squadplayer_correct",
    "league.change_league": "admin:league_league_correct",
    "league.close_cyclelist": "admin:league_cycle_close admin:league_cycle_reopen",
}

COMMANDS: Final = {
    "close_cycle": (),
    "export_cycle": LINES.names,
    "import_league_players": SQUAD_COLUMNS,
    "import_league_round": ROUND_COLUMNS,
}


def furnish() -> None:
    """A season with an open cycle, which comes first in every list, and one with a closed cycle."""
    number = CycleList.objects.count()
    league = League.objects.create(name=f"Amateurs {number}")
    season = Season.objects.create(league=league, name=f"Autumn {number}", ordinal=1)
    Cycle.objects.create(season=season, number=1, last_round=5)
    home, away = (Team.objects.create(season=season, name=name) for name in ("Harbour", "Rock"))
    players = [Player.objects.create(league=league, name=name) for name in ("Aas", "Berg", "Carlsen")]
    for player, team in zip(players, (home, home, away), strict=True):
        SquadPlayer.objects.create(season=season, player=player, team=team, rating=Decimal(1500), games=30)
    match = Match.objects.create(season=season, round=1, home_team=home, away_team=away)
    Board.objects.create(match=match, number=1, home_player=players[1], away_player=players[2], result="1-0")
    rated_season = Season.objects.create(
        league=League.objects.create(name=f"Masters {number}"), name=f"Winter {number}", ordinal=1
    )
    cycle = Cycle.objects.create(season=rated_season, number=1, last_round=5, closed_at=START)
    CycleResult.objects.create(
        cycle_list=CycleList.objects.create(cycle=cycle, published_at=START),
        name="Dahl",
        player=Player.objects.create(league=rated_season.league, name="Dahl"),
        team=Team.objects.create(season=rated_season, name="Bay"),
        old=Decimal(1500),
        games_before=0,
        counted=0,
        half_points=0,
        opponents=Decimal(0),
        gain=Decimal(0),
        adjusted=Decimal(0),
        games_after=0,
    )


def check_demo() -> None:
    """A season of a team league with two closed cycles, one that can be closed, and a correction."""
    season = Season.objects.get()
    assert season.teams.count() == 8
    assert season.matches.count() == 9 * 4 + 2 + 2
    cycles = season.cycles.filter(closed_at__isnull=False).order_by("number")
    assert [cycle.last_round for cycle in cycles] == [4, 9]
    assert all(cycle.lists.filter(revision=2).exists() for cycle in cycles)
    squads = season.squads.filter(captains_estimate=True).values("player")
    assert len(squads) == 5
    assert Board.objects.filter(home_player__in=squads, away_player__in=squads).exists()
    assert season.league.players.exclude(member=None).count() == 16
    assert GUEST in season.league.players.values_list("member__username", flat=True)
    for rating in map(rate, cycles):
        for number, result in rating.results.items():
            assert check_explanation(explain(rating, number)) or not result.counted
    everything_but = {result.value for result in BoardResult} - {BoardResult.BOTH_FORFEIT.value}
    assert everything_but == set(Board.objects.values_list("result", flat=True))
