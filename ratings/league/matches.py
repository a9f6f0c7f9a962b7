"""Matches with their boards as pages show them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet

from ratings.league.labels import RESULT_TEXTS
from ratings.league.models import Board, Match
from ratings.rules.bal.parts import BoardResult


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A board. ``counts``: whether it was played and is rated. ``half_points``: of the home player."""

    board: Board
    result: str
    counts: bool
    half_points: int

    @property
    def home_won(self) -> bool:
        return self.half_points == 2

    @property
    def away_won(self) -> bool:
        return self.half_points == 0


@dataclass(frozen=True, slots=True)
class ShownMatch:
    """A match with the half points of its teams."""

    match: Match
    boards: tuple[ShownBoard, ...]
    home: int
    away: int


def shown(matches: QuerySet[Match]) -> list[ShownMatch]:
    """These matches in their order, in two statements."""
    boards = Board.objects.select_related("home_player", "away_player").order_by("number")
    found = matches.select_related("home_team", "away_team").prefetch_related(Prefetch("boards", boards))
    return [_shown(match) for match in found]


def _shown(match: Match) -> ShownMatch:
    results = [(board, BoardResult(board.result)) for board in match.boards.all()]
    home = sum(result.half_points for _board, result in results)
    return ShownMatch(
        match,
        tuple(
            ShownBoard(board, RESULT_TEXTS[result], not result.is_forfeit, result.half_points)
            for board, result in results
        ),
        home,
        2 * len(results) - home,
    )
