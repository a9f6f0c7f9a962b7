"""Public pages of seasons: their list, table and rounds, and the teams."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.exceptions import BadRequest
from django.db.models import Prefetch, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.generic import DetailView

from foa.files import csv_response
from foa.spreadsheet import Cell
from foa.text import number_in
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.listing import FilteredTableView
from ratings.formats.league import ROUND_COLUMNS, ROUND_OPTIONAL, SQUAD_COLUMNS
from ratings.league.models import (
    RESULT_TEXTS,
    Board,
    Cycle,
    CycleList,
    CycleResult,
    Match,
    Season,
    SquadPlayer,
    Team,
)
from ratings.league.services.cycles import CYCLES, in_season_order, ratings_at_start
from ratings.league.services.standings import TeamLine, table
from ratings.league.tables import SeasonFilter, SeasonTable
from ratings.rules.bal.cycles import BoardResult
from ratings.rules.units import WIN


class SeasonListView(FilteredTableView):
    """The seasons of all leagues, the latest of each first, with their cycles and lists."""

    queryset = Season.objects.select_related("league").order_by("league_id", "-ordinal", "pk")
    filterset_class = SeasonFilter
    table_class = SeasonTable
    title = _("Team league")
    intro = _(
        "Teams play each other in rounds. When a cycle of rounds ends, all its games are rated together. "
        "League ratings are separate from the arena’s."
    )
    file_name = "league-seasons"
    noun = "cycles"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the cycles in the API."""
        return Deprecation(*JSON_GOES, "arena:league_cycles")

    def get_table(self, **kwargs: Any) -> Any:
        """Add the cycles of the page's seasons and their last lists."""
        found = super().get_table(**kwargs)
        found.cycles, found.lists = _cycles(found.page.rows)
        return found

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        """Yield a row for each cycle, with its last list."""
        return CYCLES.of(in_season_order(Cycle.objects.filter(season__in=queryset.order_by())))


class SeasonView(DetailView[Season]):
    """A season: the table of its teams, a round with its matches, the cycles and their lists."""

    template_name = "league/season.html"
    context_object_name = "season"
    queryset = Season.objects.select_related("league")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the round ``?round=N``, by default the last one with matches."""
        season = self.object
        rounds = season.matches.order_by("round").values_list("round", flat=True).distinct()
        played = list(rounds)
        number = self._round(played)
        lists = defaultdict(list)
        for one in CycleList.objects.of_seasons(season).order_by("revision"):
            lists[one.cycle_id].append(one)
        lines = table(season)
        playoffs = season.matches.exclude(stage="")
        return super().get_context_data(
            lines=_places(lines),
            champion=next((line.team for line in lines if line.is_champion), None),
            is_final_drawn=any(line.drew_final for line in lines),
            playoffs=shown(playoffs.order_by("round", "pk")),
            rounds=played,
            round=number,
            matches=[] if number is None else shown(season.matches.filter(round=number).order_by("pk")),
            cycles=_stretches(season.cycles.order_by("number"), lists),
            **kwargs,
        )

    def _round(self, played: Sequence[int]) -> int | None:
        text = self.request.GET.get("round")
        if text is None:
            return played[-1] if played else None
        number = number_in(text)
        if number is None:
            raise BadRequest(gettext("Enter the round as a number."))
        if number not in played:
            raise Http404(gettext("This round has no matches yet."))
        return number


class TeamView(DetailView[Team]):
    """A team of a season: its squad with ratings at the start and now, and its matches."""

    template_name = "league/team.html"
    context_object_name = "team"
    queryset = Team.objects.select_related("season__league")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        team = self.object
        matches = Match.objects.filter(Q(home_team=team) | Q(away_team=team)).order_by("round", "pk")
        return super().get_context_data(squad=_squad(team), matches=shown(matches), **kwargs)


class StandingsFileView(View):
    """The table of a season as CSV."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        season = get_object_or_404(Season, pk=pk)
        columns = (
            "place",
            "team",
            "match_points",
            "board_points",
            "matches",
            "wins",
            "draws",
            "losses",
            "playoffs",
        )
        return csv_response(
            f"league-season-{season.pk}-table",
            columns,
            (
                (
                    place,
                    line.team.name,
                    line.match_points,
                    Decimal(line.half_points) / 2,
                    line.matches,
                    line.wins,
                    line.draws,
                    line.losses,
                    line.reached,
                )
                for place, line in _places(table(season))
            ),
        )


class RoundsFileView(View):
    """The boards of a season as CSV, with the columns of files to import."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        season = get_object_or_404(Season, pk=pk)
        boards = Board.objects.filter(match__season=season).order_by("match__round", "match", "number")
        rows = boards.values_list(
            "match__round",
            "match__home_team__name",
            "match__away_team__name",
            "number",
            "home_player__name",
            "away_player__name",
            "result",
            "match__stage",
        )
        columns = (*ROUND_COLUMNS, *ROUND_OPTIONAL)
        return csv_response(f"league-season-{season.pk}-rounds", columns, rows)


class SquadFileView(View):
    """The squad of a team as CSV, with the columns of files to import."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Return a row for each player, with their rating at the start of the season."""
        team = get_object_or_404(Team, pk=pk)
        squad = team.squad.select_related("player").order_by("player__name", "player")
        rows = ((one.player.name, team.name, one.rating, one.games, one.captains_estimate) for one in squad)
        return csv_response(f"league-team-{team.pk}-squad", SQUAD_COLUMNS, rows)


def _cycles(seasons: Iterable[Season]) -> tuple[dict[int, list[Cycle]], dict[int, CycleList]]:
    """Return the cycles of each of these seasons, and the last list of each cycle."""
    cycles = defaultdict(list)
    for cycle in Cycle.objects.filter(season__in=list(seasons)).order_by("number"):
        cycles[cycle.season_id].append(cycle)
    lists = CycleList.objects.of_seasons(*cycles).in_force()
    return dict(cycles), {one.cycle_id: one for one in lists.order_by("revision")}


def _places(lines: Iterable[TeamLine]) -> list[tuple[int, TeamLine]]:
    """Add places; teams with the same match points and board points share one."""
    placed: list[tuple[int, TeamLine]] = []
    for number, line in enumerate(lines, 1):
        last = placed[-1] if placed else None
        points = (line.match_points, line.half_points)
        shared = last is not None and (last[1].match_points, last[1].half_points) == points
        placed.append((last[0] if last and shared else number, line))
    return placed


def _stretches(
    cycles: Iterable[Cycle], lists: dict[int, list[CycleList]]
) -> list[tuple[Cycle, int, list[CycleList]]]:
    """Return each cycle with its first round and the revisions of its list."""
    stretches = []
    first = 1
    for cycle in cycles:
        stretches.append((cycle, first, lists[cycle.pk]))
        first = cycle.last_round + 1
    return stretches


def _squad(team: Team) -> list[tuple[SquadPlayer, CycleResult | None]]:
    """Return the players by name, each with their line of the season's last list."""
    squad = list(team.squad.select_related("player__member").order_by("player__name", "player"))
    results = CycleResult.objects.in_force().filter(
        player__in=[one.player_id for one in squad], cycle_list__cycle__season=team.season_id
    )
    latest = {one.player_id: one for one in results.select_related("cycle_list")}
    return [(one, latest.get(one.player_id)) for one in squad]


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A board. ``counts``: True if it was played and is rated.

    ``home_rating`` and ``away_rating``: those with which the game counts; None where that isn't known.
    """

    board: Board
    home_rating: Decimal | None
    away_rating: Decimal | None
    result: str
    counts: bool
    home_won: bool
    away_won: bool


@dataclass(frozen=True, slots=True)
class ShownMatch:
    """A match with the half points of its teams."""

    match: Match
    boards: tuple[ShownBoard, ...]
    home: int
    away: int


def shown(matches: QuerySet[Match]) -> list[ShownMatch]:
    """Return these matches of a season in their order, in five queries."""
    boards = Board.objects.select_related("home_player__member", "away_player__member").order_by("number")
    found = list(
        matches.select_related("home_team", "away_team", "season").prefetch_related(
            Prefetch("boards", boards)
        )
    )
    ratings = _ratings(found)
    return [_shown(match, ratings[match.round]) for match in found]


def _ratings(matches: Sequence[Match]) -> dict[int, Mapping[int, Decimal]]:
    """Return the ratings with which the games of each of these rounds count, by player."""
    if not matches:
        return {}
    season = matches[0].season
    boards = [board for match in matches for board in match.boards.all()]
    players = {pk for board in boards for pk in (board.home_player_id, board.away_player_id)}
    squad = list(SquadPlayer.objects.filter(season=season, player__in=players - {None}))
    cycles = list(season.cycles.select_related("season").order_by("last_round"))
    starts = list(zip(cycles, ratings_at_start(cycles, squad), strict=True))
    return {
        number: next((ratings for cycle, ratings in starts if number <= cycle.last_round), {})
        for number in {match.round for match in matches}
    }


def _shown(match: Match, ratings: Mapping[int, Decimal]) -> ShownMatch:
    results = [(board, BoardResult(board.result)) for board in match.boards.all()]
    return ShownMatch(
        match,
        tuple(
            ShownBoard(
                board,
                ratings.get(board.home_player_id or 0),
                ratings.get(board.away_player_id or 0),
                RESULT_TEXTS[result],
                not result.is_forfeit,
                home_won=result.half_points == WIN,
                away_won=result.away_half_points == WIN,
            )
            for board, result in results
        ),
        sum(result.half_points for _board, result in results),
        sum(result.away_half_points for _board, result in results),
    )
