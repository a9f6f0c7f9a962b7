"""The tie-breaks of a tournament over the board, from its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ratings.formats import trf
from ratings.formats.trf.scoring import Scoring, scoring_of
from ratings.otb.services.rating import HALF_POINTS, RatedTournament
from ratings.rules.b02.types import TournamentType
from ratings.rules.tie_breaks import (
    How,
    Round,
    TieBreaks,
    c07_on,
    round_robin_tie_breaks,
    swiss_tie_breaks,
)
from ratings.rules.units import WIN, HalfPoints

_FORFEITS: Final = frozenset({trf.Result.FORFEIT_WIN, trf.Result.FORFEIT_LOSS, trf.Result.BLANK})
"""Without a result, nobody has won a game that was paired."""

_GIVEN_BYES: Final = frozenset({trf.Result.FULL_POINT_BYE, trf.Result.ALLOCATED_BYE})

_TENTHS_A_HALF_POINT: Final = 5


def tie_breaks_of(rated: RatedTournament) -> Mapping[int, TieBreaks]:
    """Return everybody's tie-breaks by start number; nothing if they can't be calculated.

    A tournament of teams and a match have none, nor has a part of a league, because scores are those of the
    whole. A report whose points are missing or aren't those of its results, with 1 for a win and ½ for a
    draw, has none either: nobody can tell what was awarded in which round.
    """
    kind, players = TournamentType(rated.tournament.kind), rated.report.players
    if kind not in (TournamentType.SWISS, TournamentType.ROUND_ROBIN):
        return {}
    scoring, count = scoring_of(rated.report), _rounds_with_entries(players)
    rounds: dict[int, list[Round]] = {}
    for player in players:
        spent = _rounds_of(player.rounds[:count], scoring)
        if spent is None or player.points != _TENTHS_A_HALF_POINT * sum(one.half_points for one in spent):
            return {}
        rounds[player.start_rank] = spent
    if kind is TournamentType.ROUND_ROBIN:
        return round_robin_tie_breaks(rounds)
    return swiss_tie_breaks(rounds, c07_on(rated.tournament.first_day))


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
