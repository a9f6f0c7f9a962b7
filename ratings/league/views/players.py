"""Public pages of a player: their ratings cycle by cycle, and how each was calculated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views import View
from django.views.generic import DetailView

from foa.files import csv_response
from ratings.league.explanation import explain
from ratings.league.models import Board, Cycle, CycleResult, Player, Team
from ratings.league.services.cycles import next_cycle, rate
from ratings.rbb.labels import SCORE_KINDS, SCORES
from ratings.rules.bal.cycles import BoardResult, CycleOutcome
from ratings.rules.rounding import displayed, from_hundredths, to_hundredths
from ratings.rules.units import Hundredths

_COLUMNS = (
    "season",
    "cycle",
    "revision",
    "team",
    "old",
    "games_before",
    "games",
    "score",
    "opponents",
    "k",
    "expected",
    "gain",
    "adjusted",
    "new",
    "games_after",
)


class PlayerView(DetailView[Player]):
    """Rating, cycles and all games of a player."""

    template_name = "league/player.html"
    context_object_name = "player"
    queryset = Player.objects.select_related("league", "member")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add each cycle by the last revision of its list. The open cycle may have games already."""
        player = self.object
        results = _results(player)
        squads = list(player.squads.select_related("season", "team").order_by("-season__ordinal"))
        return super().get_context_data(
            results=results[::-1],
            last=results[-1] if results else None,
            squads=squads,
            open_cycle=next_cycle(squads[0].season) if squads else None,
            chart=chart(results),
            games=_games(player),
            **kwargs,
        )


class PlayerFileView(View):
    """The cycles of a player as CSV."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        player = get_object_or_404(Player, pk=pk)
        rows = (
            (
                one.cycle_list.cycle.season.name,
                one.cycle_list.cycle.number,
                one.cycle_list.revision,
                one.team.name,
                one.old,
                one.games_before,
                one.counted,
                from_hundredths(Hundredths(50 * one.half_points)),
                one.opponents,
                one.k,
                one.expected,
                one.gain,
                one.adjusted,
                one.new,
                one.games_after,
            )
            for one in _results(player)
        )
        return csv_response(f"league-player-{player.pk}", _COLUMNS, rows)


class PlayerCycleView(DetailView[Player]):
    """Page that explains a player’s rating after a cycle, from boards and squads as they are now."""

    template_name = "league/player_cycle.html"
    context_object_name = "player"
    queryset = Player.objects.select_related("league", "member")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the games, the steps, what was published, and the cycles before and after."""
        player = self.object
        cycle = self._cycle(player)
        entry = player.squads.filter(season=cycle.season).select_related("team").first()
        if entry is None:
            raise Http404(gettext("The player isn’t in a squad of this season."))
        published = list(
            CycleResult.objects.filter(player=player, cycle_list__cycle=cycle)
            .select_related("cycle_list__cycle")
            .order_by("cycle_list__revision")
        )
        explanation, unknown = None, ""
        try:
            explanation = explain(rate(cycle), player.pk)
        except ValueError as error:
            unknown = str(error)
        in_force = [one for one in published if one.cycle_list.reopened_at is None]
        last = in_force[-1] if in_force else None
        return super().get_context_data(
            cycle=cycle,
            entry=entry,
            explanation=explanation,
            unknown=unknown,
            published=published,
            last=last,
            differs=bool(last and explanation and not _says(last, explanation.result)),
            cycles=_around(cycle),
            **kwargs,
        )

    def _cycle(self, player: Player) -> Cycle:
        """Return a closed cycle or the open one.

        Raises Http404 for a later one, because the ratings at its start aren't known yet.
        """
        cycles = Cycle.objects.filter(season__league=player.league_id).select_related("season__league")
        cycle = get_object_or_404(cycles, pk=self.kwargs["cycle"])
        if cycle.closed_at is None and cycle != next_cycle(cycle.season):
            raise Http404(gettext("The cycle before this one is still open."))
        return cycle


def _results(player: Player) -> list[CycleResult]:
    """Return the player's line of each closed cycle in its last revision, in the order of the cycles."""
    results = (
        CycleResult.objects.in_force()
        .filter(player=player)
        .select_related("cycle_list__cycle__season", "team")
    )
    return list({one.cycle_list.cycle_id: one for one in results}.values())


def _games(player: Player) -> Sequence[tuple[Board, Team, Player | None, Team, str, str]]:
    """Return all games, latest round first: board, own team, opponent, opposing team, score, outcome."""
    boards = (
        Board.objects.filter(Q(home_player=player) | Q(away_player=player))
        .select_related(
            "match__season",
            "match__home_team",
            "match__away_team",
            "home_player__member",
            "away_player__member",
        )
        .order_by("-match__season__ordinal", "-match__round", "number")
    )
    return [_seen(board, player) for board in boards]


def _seen(board: Board, player: Player) -> tuple[Board, Team, Player | None, Team, str, str]:
    result = BoardResult(board.result)
    home = board.home_player_id == player.pk
    half_points = result.half_points if home else result.away_half_points
    score = ("−", "", "+")[half_points] if result.is_forfeit else SCORES[half_points]
    teams = (board.match.home_team, board.match.away_team)
    players = (board.home_player, board.away_player)
    kind = "" if result.is_forfeit else SCORE_KINDS[half_points]
    return board, teams[not home], players[home], teams[home], score, kind


def _says(line: CycleResult, result: CycleOutcome) -> bool:
    """Return True if a published line has the figures calculated now."""
    new = None if result.new is None else from_hundredths(result.new)
    return (line.old, line.new, line.counted, line.half_points, line.games_before) == (
        from_hundredths(result.old),
        new,
        result.counted,
        result.half_points,
        result.games_before,
    )


def _around(cycle: Cycle) -> dict[str, Cycle | None]:
    """Return the closed cycles before and after this one in its season."""
    closed = Cycle.objects.filter(season=cycle.season, closed_at__isnull=False)
    return {
        "before": closed.filter(number__lt=cycle.number).order_by("-number").first(),
        "after": closed.filter(number__gt=cycle.number).order_by("number").first(),
    }


_STEP: Final = 60
"""Horizontal distance between two cycles, in pixels."""

_LEFT, _TOP, _TALL, _BELOW = 46, 30, 180, 50
_GRID: Final = 100
"""Minimum distance of grid lines in rating points, doubled until there are few enough lines."""

_MOST_LINES: Final = 7


@dataclass(frozen=True, slots=True)
class Point:
    """A rating in the chart. ``label``: the cycle; ``season``: its name where a new one begins."""

    x: int
    y: int
    rating: int
    label: str
    season: str


@dataclass(frozen=True, slots=True)
class LeagueChart:
    """A chart with its size in pixels. ``grid``: heights with their ratings; ``right``: its right end."""

    width: int
    height: int
    left: int
    right: int
    bottom: int
    grid: tuple[tuple[int, int], ...]
    points: tuple[Point, ...]

    @property
    def line(self) -> str:
        return " ".join(f"{point.x},{point.y}" for point in self.points)


def chart(results: Sequence[CycleResult]) -> LeagueChart | None:
    """Draw the rating at the start, unless the player was new, and after each of these cycles, in order.

    Return None for fewer than two points, because they make no line.
    """
    steps = [(str(one.cycle_list.cycle.number), one, one.new) for one in results if one.new is not None]
    if results and not results[0].captains_estimate:
        steps.insert(0, (gettext("start"), results[0], results[0].old))
    if len(steps) < 2:
        return None
    ratings = [to_hundredths(rating) for _label, _one, rating in steps]
    low, high, step = _scale(min(ratings), max(ratings))
    points = []
    season = ""
    for number, ((label, one, _rating), rating) in enumerate(zip(steps, ratings, strict=True)):
        name = one.cycle_list.cycle.season.name
        x = _LEFT + _STEP // 2 + _STEP * number
        y = _TOP + _TALL * (100 * high - rating) // (100 * (high - low))
        points.append(Point(x, y, displayed(rating), label, "" if name == season else name))
        season = name
    right = _LEFT + _STEP * len(steps)
    grid = tuple((_TOP + _TALL * (high - line) // (high - low), line) for line in range(low, high + 1, step))
    return LeagueChart(right, _TOP + _TALL + _BELOW, _LEFT, right, _TOP + _TALL, grid, tuple(points))


def _scale(lowest: int, highest: int) -> tuple[int, int, int]:
    """Return the lowest and highest grid line and their distance in points, for ratings in hundredths."""
    step = _GRID
    while (highest - lowest) // (100 * step) > _MOST_LINES - 2:
        step *= 2
    low = lowest // (100 * step) * step
    high = -(-highest // (100 * step)) * step
    return low, high + (step if high == low else 0), step
