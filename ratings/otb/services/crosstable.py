"""The cross-table of a tournament over the board, as exact values, and its tie-breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from foa.spreadsheet import Cell
from ratings.formats import trf
from ratings.formats.trf.scoring import Scoring, scoring_of
from ratings.otb.services.rating import HALF_POINTS, Participant, RatedTournament
from ratings.rules.b02.types import EntrantResult, GameResult, TournamentType
from ratings.rules.rounding import from_hundredths
from ratings.rules.tie_breaks import (
    How,
    Round,
    TieBreaks,
    c07_on,
    round_robin_tie_breaks,
    swiss_tie_breaks,
)
from ratings.rules.units import WIN, HalfPoints, Hundredths


class CrossTableLine(NamedTuple):
    """A player's line; the names are the first columns of the file.

    ``rated_games``: those that count, and everything after it None if there are none. ``score``: points of
    these games. ``average``: Rc, points. ``expected``: We, ``change``: ΣΔR × K, exact; of a rated player, as
    ``k``. ``new_rating``: the rating with the change, exact, since only the list rounds (B.02 8.57); of a new
    player Ru, in a round robin the new Ru of 8.58.
    """

    start_no: int
    fide_id: int | None
    name: str
    rated_games: int
    score: Decimal | None = None
    average: int | None = None
    expected: Decimal | None = None
    change: Decimal | None = None
    k: int | None = None
    new_rating: Decimal | None = None


COLUMNS: Final = (*CrossTableLine._fields, "buchholz_cut_1", "buchholz", "sonneborn_berger", "won")


def cross_table_line(participant: Participant) -> CrossTableLine:
    """Return what the tournament gives a player."""
    reported, result = participant.reported, participant.result
    who = (reported.start_rank, reported.fide_id, reported.name)
    if not result.counts:
        return CrossTableLine(*who, rated_games=0)
    score = Decimal(result.half_points) / 2
    if result.rating is None or result.expected is None or result.change is None:
        new_rating = None if result.new is None else Decimal(result.new.final.rating)
        return CrossTableLine(*who, result.rated_games, score, result.average, new_rating=new_rating)
    return CrossTableLine(
        *who,
        result.rated_games,
        score,
        result.average,
        expected=from_hundredths(result.expected),
        change=from_hundredths(result.change),
        k=result.k,
        new_rating=from_hundredths(Hundredths(100 * result.rating + result.change)),
    )


def cross_table_rows(rated: RatedTournament) -> Iterator[tuple[Cell, ...]]:
    """The rows of the file, in the order of the report: each line, then the tie-breaks, in points."""
    ties = tie_breaks_of(rated)
    for participant in rated.participants:
        line = cross_table_line(participant)
        yield (*line, *_tie_break_cells(ties.get(line.start_no)))


def _tie_break_cells(ties: TieBreaks | None) -> tuple[Cell, ...]:
    """C.07: BH-C1, BH, SB and WON; blank where the tournament has none."""
    if ties is None:
        return None, None, None, None
    cut, buchholz = ties.buchholz_cut_1, ties.buchholz
    return (
        None if cut is None else Decimal(cut) / 2,
        None if buchholz is None else Decimal(buchholz) / 2,
        Decimal(ties.sonneborn_berger) / 4,
        ties.won,
    )


def counts_for(result: EntrantResult, game: GameResult) -> bool:
    """Return whether a game is one of the rated ones of a player."""
    return result.counts and game.opponent_rating is not None


_FORFEITS: Final = frozenset({trf.Result.FORFEIT_WIN, trf.Result.FORFEIT_LOSS, trf.Result.BLANK})
"""Without a result, nobody has won a game that was paired."""

_GIVEN_BYES: Final = frozenset({trf.Result.FULL_POINT_BYE, trf.Result.ALLOCATED_BYE})

_TENTHS_A_HALF_POINT: Final = 5


def tie_breaks_of(rated: RatedTournament) -> Mapping[int, TieBreaks]:
    """Return tie-breaks by start number; nothing if the report ranks everybody: its order is official.

    A tournament of teams and a match have none, nor has a part of a league, because scores are those of the
    whole. A report whose points are missing or aren't those of its results, with 1 for a win and ½ for a
    draw, has none either: nobody can tell what was awarded in which round.
    """
    kind, players = TournamentType(rated.tournament.kind), rated.report.players
    is_ranked = all(player.rank is not None for player in players)
    if is_ranked or kind not in (TournamentType.SWISS, TournamentType.ROUND_ROBIN):
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
