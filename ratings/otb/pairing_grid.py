"""The pairings beside the cross-table on its page: by rounds, or everybody against everybody."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ratings.formats import trf
from ratings.labels import SCORES, half_points_text
from ratings.otb.services.crosstable import CrossTableLine, counts_for, cross_table_line
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rules.b02.parts import Kind

_WIDEST_GRID: Final = 30
"""A round robin of more players is shown by rounds, as no screen is so wide."""

_SIGNS: Final = {
    trf.Result.WIN: SCORES[2],
    trf.Result.DRAW: SCORES[1],
    trf.Result.LOSS: SCORES[0],
    trf.Result.FORFEIT_WIN: "+",
    trf.Result.FORFEIT_LOSS: "−",
    trf.Result.UNRATED_WIN: SCORES[2],
    trf.Result.UNRATED_DRAW: SCORES[1],
    trf.Result.UNRATED_LOSS: SCORES[0],
}
_BYES: Final = {
    trf.Result.HALF_POINT_BYE: SCORES[1],
    trf.Result.DRAW: SCORES[1],
    trf.Result.FULL_POINT_BYE: SCORES[2],
    trf.Result.ALLOCATED_BYE: SCORES[2],
    trf.Result.FORFEIT_WIN: SCORES[2],
}
"""Those that bring points."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """What stands in a round, or against an opponent. ``counts``: whether it is rated for this player.

    ``bye``: a round with points and without an opponent. ``own``: a player against himself.
    """

    text: str = ""
    counts: bool = False
    bye: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class GridRow:
    """A player: who he is, his results, his line. ``points``: of the tournament, as reported."""

    participant: Participant
    cells: tuple[GridCell, ...]
    points: str
    line: CrossTableLine


@dataclass(frozen=True, slots=True)
class PairingGrid:
    """``heads``: the numbers of the rounds; of the opponents where everybody is shown ``against_all``."""

    against_all: bool
    heads: tuple[int, ...]
    rows: tuple[GridRow, ...]


def pairing_grid(rated: RatedTournament, shown: Sequence[Participant]) -> PairingGrid:
    """The pairings of these participants of a tournament."""
    against_all = Kind(rated.tournament.kind) is Kind.ROUND_ROBIN and len(rated.participants) <= _WIDEST_GRID
    if against_all:
        heads = tuple(one.reported.start_rank for one in rated.participants)
    else:
        heads = tuple(range(1, rated.report.rounds + 1))
    return PairingGrid(
        against_all,
        heads,
        tuple(
            GridRow(
                one,
                _against(one, heads) if against_all else _by_rounds(one),
                _points(one),
                cross_table_line(one),
            )
            for one in shown
        ),
    )


def _by_rounds(participant: Participant) -> tuple[GridCell, ...]:
    """As 12w1: opponent, colour, result."""
    counted = _counted(participant)
    return tuple(
        _bye(pairing)
        if pairing.opponent is None
        else GridCell(f"{pairing.opponent}{pairing.colour}{_SIGNS[pairing.result]}", number in counted)
        for number, pairing in enumerate(participant.reported.rounds, 1)
    )


def _bye(pairing: trf.Pairing) -> GridCell:
    """A round without an opponent; old files write byes as + = - too."""
    sign = _BYES.get(pairing.result)
    return GridCell(sign, bye=True) if sign else GridCell()


def _against(participant: Participant, opponents: Iterable[int]) -> tuple[GridCell, ...]:
    """The results against each opponent, in the order of the rounds."""
    counted = _counted(participant)
    met: defaultdict[int | None, list[GridCell]] = defaultdict(list)
    for number, pairing in enumerate(participant.reported.rounds, 1):
        if pairing.opponent is not None:
            met[pairing.opponent].append(GridCell(_SIGNS[pairing.result], number in counted))
    own = participant.reported.start_rank
    return tuple(
        GridCell(own=True)
        if opponent == own
        else GridCell(
            " ".join(cell.text for cell in met[opponent]), all(cell.counts for cell in met[opponent])
        )
        for opponent in opponents
    )


def _counted(participant: Participant) -> set[int]:
    result = participant.result
    return {game.round for game in result.games if counts_for(result, game)}


def _points(participant: Participant) -> str:
    """Of all rounds, byes and forfeits too, by the usual points."""
    tenths = participant.reported.points
    if tenths is None or tenths % 5:
        return "" if tenths is None else f"{tenths / 10:.1f}"
    return half_points_text(tenths // 5)
