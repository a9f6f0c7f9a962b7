"""Matches with their boards, ready to be shown on pages."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet

from ratings.league.labels import RESULT_TEXTS
from ratings.league.models import Board, Match
from ratings.rules.bal.cycles import BoardResult
from ratings.rules.units import WIN


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A board. ``counts``: True if it was played and is rated."""

    board: Board
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
    """Return these matches in their order, in two queries."""
    boards = Board.objects.select_related("home_player", "away_player").order_by("number")
    found = matches.select_related("home_team", "away_team").prefetch_related(Prefetch("boards", boards))
    return [_shown(match) for match in found]


def _shown(match: Match) -> ShownMatch:
    results = [(board, BoardResult(board.result)) for board in match.boards.all()]
    return ShownMatch(
        match,
        tuple(
            ShownBoard(
                board,
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
