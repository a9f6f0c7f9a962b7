"""The cross-table of a tournament over the board, as exact values, and its tie-breaks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from foa.spreadsheet import Cell
from ratings.otb.services.places import tie_breaks_of
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rules.b02.types import EntrantResult, GameResult
from ratings.rules.rounding import from_hundredths
from ratings.rules.tie_breaks import TieBreaks
from ratings.rules.units import Hundredths


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
    ties = tie_breaks_of(rated.tournament, rated.report)
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
