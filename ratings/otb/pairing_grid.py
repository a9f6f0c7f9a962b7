"""The cross-table as its page shows it: by final place, with the results by rounds or against everybody."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from foa.text import NOTHING
from ratings.formats import trf
from ratings.otb.services.crosstable import CrossTableLine, counts_for, cross_table_line
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rbb.labels import SCORE_KINDS, SCORES, half_points_text
from ratings.rules.b02.types import TournamentType
from ratings.rules.fide_page.estimates import performance_against
from ratings.rules.rounding import displayed, divide_half_up
from ratings.rules.tie_breaks import TieBreaks
from ratings.rules.units import Hundredths

_WIDEST_GRID: Final = 30
"""A round robin of more players is shown by rounds, as no screen is so wide."""

_LOST, _DRAWN, _WON = SCORE_KINDS


@dataclass(frozen=True, slots=True)
class Mark:
    """One result: its sign, and ``kind`` for its colour: won, drawn or lost."""

    text: str
    kind: str


_MARKS: Final = {
    trf.Result.WIN: Mark(SCORES[2], _WON),
    trf.Result.DRAW: Mark(SCORES[1], _DRAWN),
    trf.Result.LOSS: Mark(SCORES[0], _LOST),
    trf.Result.FORFEIT_WIN: Mark("+", _WON),
    trf.Result.FORFEIT_LOSS: Mark("−", _LOST),
    trf.Result.UNRATED_WIN: Mark(SCORES[2], _WON),
    trf.Result.UNRATED_DRAW: Mark(SCORES[1], _DRAWN),
    trf.Result.UNRATED_LOSS: Mark(SCORES[0], _LOST),
    # Paired, and the report has no result.
    trf.Result.BLANK: Mark(NOTHING, ""),
}
_RESULTS: Final = {
    trf.Result.WIN: "1-0",
    trf.Result.DRAW: "½-½",
    trf.Result.LOSS: "0-1",
    trf.Result.FORFEIT_WIN: "+ −",
    trf.Result.FORFEIT_LOSS: "− +",
    trf.Result.UNRATED_WIN: "1-0",
    trf.Result.UNRATED_DRAW: "½-½",
    trf.Result.UNRATED_LOSS: "0-1",
    trf.Result.BLANK: NOTHING,
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
    """A round, or the games against an opponent. ``counts``: whether it is rated for this player.

    ``against``: colour and final place of the opponent of a round, as w12. ``bye``: the points of a round
    without an opponent. ``own``: a player against themselves.
    """

    marks: tuple[Mark, ...] = ()
    counts: bool = False
    against: str = ""
    bye: str = ""
    own: bool = False


@dataclass(frozen=True, slots=True)
class GridRow:
    """A player at their final place. ``points``: of the tournament, as reported.

    ``performance``: points, of the rated games; None without any. ``ties``: their tie-breaks, None where the
    tournament has none.
    """

    place: int
    participant: Participant
    cells: tuple[GridCell, ...]
    points: str
    performance: int | None
    line: CrossTableLine
    ties: TieBreaks | None


@dataclass(frozen=True, slots=True)
class PairingGrid:
    """``heads``: the numbers of the rounds, or the places of all players where they are ``against_all``.

    ``ties``: whether tie-breaks are shown; ``buchholz``: whether these are among them. ``reported``: whether
    the report has the ranks of all players, so that no place follows from a tie-break.
    """

    against_all: bool
    heads: tuple[int, ...]
    rows: tuple[GridRow, ...]
    ties: bool
    buchholz: bool
    reported: bool


def pairing_grid(
    rated: RatedTournament,
    placed: Sequence[Participant],
    ties: Mapping[int, TieBreaks | None],
    first: int,
    end: int,
) -> PairingGrid:
    """The rows from one index to before another of the players, who are ``placed`` in their order."""
    against_all = (
        TournamentType(rated.tournament.kind) is TournamentType.ROUND_ROBIN and len(placed) <= _WIDEST_GRID
    )
    places = {one.reported.start_rank: place for place, one in enumerate(placed, 1)}
    return PairingGrid(
        against_all,
        tuple(places.values()) if against_all else tuple(range(1, rated.report.rounds + 1)),
        tuple(
            GridRow(
                places[one.reported.start_rank],
                one,
                _against(one, places) if against_all else _by_rounds(one, places),
                _points(one),
                performance_of(one),
                cross_table_line(one),
                ties.get(one.reported.start_rank),
            )
            for one in placed[first:end]
        ),
        ties=any(ties.values()),
        buchholz=any(tie is not None and tie.buchholz is not None for tie in ties.values()),
        reported=all(one.reported.rank is not None for one in placed),
    )


@dataclass(frozen=True, slots=True)
class RoundGame:
    """A game of a round, as the line of White has it."""

    white: Participant
    black: Participant
    result: str


def games_by_round(rated: RatedTournament) -> list[list[RoundGame]]:
    """Return the games of each round, those of the better players first; byes and absences are left out."""
    players = {one.reported.start_rank: one for one in rated.participants}
    rounds: list[list[RoundGame]] = [[] for _ in range(rated.report.rounds)]
    for one in sorted(rated.participants, key=lambda each: each.reported.start_rank):
        for games, pairing in zip(rounds, one.reported.rounds, strict=False):
            if pairing.opponent is not None and pairing.colour == "w":
                games.append(RoundGame(one, players[pairing.opponent], _RESULTS[pairing.result]))
    return rounds


def average_rating(rated: RatedTournament) -> int | None:
    """Return the average of the rated players, rounded half up; None where nobody is rated."""
    known = [one.player.rating for one in rated.participants if one.player.rating is not None]
    return divide_half_up(sum(known), len(known)) if known else None


def _by_rounds(participant: Participant, places: Mapping[int, int]) -> tuple[GridCell, ...]:
    counted = _counted(participant)
    return tuple(
        GridCell(bye=_BYES.get(pairing.result, ""))
        if pairing.opponent is None
        else GridCell(
            (_MARKS[pairing.result],), number in counted, f"{pairing.colour}{places[pairing.opponent]}"
        )
        for number, pairing in enumerate(participant.reported.rounds, 1)
    )


def _against(participant: Participant, opponents: Iterable[int]) -> tuple[GridCell, ...]:
    """The results against each opponent, in the order of the rounds."""
    counted = _counted(participant)
    met: defaultdict[int, list[tuple[Mark, bool]]] = defaultdict(list)
    for number, pairing in enumerate(participant.reported.rounds, 1):
        if pairing.opponent is not None:
            met[pairing.opponent].append((_MARKS[pairing.result], number in counted))
    own = participant.reported.start_rank
    return tuple(
        GridCell(own=True)
        if opponent == own
        else GridCell(
            tuple(mark for mark, _counts in met[opponent]), all(counts for _mark, counts in met[opponent])
        )
        for opponent in opponents
    )


def _counted(participant: Participant) -> set[int]:
    result = participant.result
    return {game.round for game in result.games if counts_for(result, game)}


def _points(participant: Participant) -> str:
    """Of all rounds, byes and forfeits too, by the usual points."""
    tenths = participant.reported.points
    if tenths is None or tenths % 5 or tenths < 0:
        return "" if tenths is None else f"{tenths / 10:.1f}"
    return half_points_text(tenths // 5)


def performance_of(participant: Participant) -> int | None:
    """The performance rating in the rated games, points; None without any."""
    result = participant.result
    if not result.counts or result.average is None:
        return None
    average = Hundredths(100 * result.average)
    return displayed(performance_against(average, result.rated_games, result.half_points).rating)
