"""The final places of a report's players, and their tie-breaks where it doesn't rank everybody."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from ratings.formats import trf
from ratings.formats.trf.scoring import Scoring, scoring_of
from ratings.otb.models import Tournament
from ratings.rules.b02.types import TournamentType
from ratings.rules.tie_breaks import (
    How,
    Round,
    TieBreaks,
    c07_on,
    round_robin_tie_breaks,
    swiss_tie_breaks,
)
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints

HALF_POINTS: Final = {
    trf.Result.WIN: WIN,
    trf.Result.DRAW: DRAW,
    trf.Result.LOSS: LOSS,
    trf.Result.FORFEIT_WIN: WIN,
    trf.Result.FORFEIT_LOSS: LOSS,
    trf.Result.UNRATED_WIN: WIN,
    trf.Result.UNRATED_DRAW: DRAW,
    trf.Result.UNRATED_LOSS: LOSS,
    trf.Result.HALF_POINT_BYE: DRAW,
    trf.Result.FULL_POINT_BYE: WIN,
    trf.Result.ALLOCATED_BYE: WIN,
    trf.Result.ZERO_POINT_BYE: LOSS,
    trf.Result.BLANK: LOSS,
}
"""Usual points for each result."""

_FORFEITS: Final = frozenset({trf.Result.FORFEIT_WIN, trf.Result.FORFEIT_LOSS, trf.Result.BLANK})
"""Results of a paired game that wasn't played; a blank is one, because nobody has won."""

_GIVEN_BYES: Final = frozenset({trf.Result.FULL_POINT_BYE, trf.Result.ALLOCATED_BYE})

_TENTHS_A_HALF_POINT: Final = 5

_BY_POINTS: Final = (TournamentType.SWISS, TournamentType.ROUND_ROBIN)
"""Kinds in which places go by the players' own points; in others by those of teams, or by rounds reached."""


def contradicting_ranks(
    kind: TournamentType, players: Iterable[trf.Player]
) -> tuple[trf.Player, trf.Player] | None:
    """Return two players whose ranks contradict their points, the better rank first; None if all agree.

    No rank of such a report is used. Only in a Swiss and a round robin do ranks have to follow the players'
    own points.
    """
    if kind not in _BY_POINTS:
        return None
    ranked = ((one.rank, -one.points, one) for one in players if one.rank and one.points is not None)
    placed = sorted(ranked, key=lambda row: row[:2])
    for (rank, points, one), (next_rank, next_points, other) in pairwise(placed):
        if points > next_points or (rank == next_rank and points != next_points):
            return one, other
    return None


def ranks_count(kind: TournamentType, players: Collection[trf.Player]) -> bool:
    """Return whether the report ranks everybody, in agreement with the points: that order is official."""
    return all(one.rank is not None for one in players) and contradicting_ranks(kind, players) is None


def by_place(
    kind: TournamentType, players: Collection[trf.Player], ties: Mapping[int, TieBreaks]
) -> list[trf.Player]:
    """Return the players in the order of their final places.

    By the ranks of the report; without one that counts by points, then by the tie-breaks, then by start
    number.
    """
    uses_ranks = contradicting_ranks(kind, players) is None

    def key(one: trf.Player) -> tuple[bool, int, int, tuple[int, ...], int]:
        number, points = one.start_rank, -(one.points or 0)
        if uses_ranks and one.rank is not None:
            return False, one.rank, points, (), number
        tie = ties.get(number)
        return True, 0, points, () if tie is None else tuple(-value for value in tie.order), number

    return sorted(players, key=key)


def tie_breaks_of(tournament: Tournament, report: trf.Tournament) -> Mapping[int, TieBreaks]:
    """Return tie-breaks by start number; nothing if the ranks of the report count.

    A tournament of teams and a match have none, nor has a part of a league, because scores are those of the
    whole. A report whose points are missing or aren't those of its results, with 1 for a win and ½ for a
    draw, has none either: nobody can tell what was awarded in which round.
    """
    kind, players = TournamentType(tournament.kind), report.players
    if kind not in _BY_POINTS or ranks_count(kind, players):
        return {}
    scoring, count = scoring_of(report), _rounds_with_entries(players)
    rounds: dict[int, list[Round]] = {}
    for player in players:
        spent = _rounds_of(player.rounds[:count], scoring)
        if spent is None or player.points != _TENTHS_A_HALF_POINT * sum(one.half_points for one in spent):
            return {}
        rounds[player.start_rank] = spent
    if kind is TournamentType.ROUND_ROBIN:
        return round_robin_tie_breaks(rounds)
    return swiss_tie_breaks(rounds, c07_on(tournament.first_day))


def _rounds_with_entries(players: Sequence[trf.Player]) -> int:
    """Count the rounds up to the last one for which the line of any player says something.

    A report may have columns for rounds to come. They aren't byes of everybody.
    """
    said = (
        number
        for player in players
        for number, pairing in enumerate(player.rounds, 1)
        if pairing != trf.NO_PAIRING
    )
    return max(said, default=0)


def _rounds_of(pairings: Sequence[trf.Pairing], scoring: Scoring) -> list[Round] | None:
    """Return how a player spent these rounds; None if a result isn't worth 1, ½ or 0."""
    rounds = []
    for pairing in pairings:
        half_points, rest = divmod(scoring.usual((pairing,)), _TENTHS_A_HALF_POINT)
        if rest or not 0 <= half_points <= WIN:
            return None
        if pairing.opponent is not None and half_points != HALF_POINTS[pairing.result]:
            return None
        rounds.append(Round(_how(pairing), HalfPoints(half_points), pairing.opponent))
    return rounds


def _how(pairing: trf.Pairing) -> How:
    if pairing.opponent is not None:
        return How.FORFEIT if pairing.result in _FORFEITS else How.PLAYED
    # Old files write byes as = + - without an opponent.
    given = pairing.result in _GIVEN_BYES or HALF_POINTS[pairing.result] == WIN
    return How.GIVEN_BYE if given else How.REQUESTED_BYE
