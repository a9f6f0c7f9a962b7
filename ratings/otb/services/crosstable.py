"""The cross-table of a tournament over the board, as exact values, and its tie-breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from foa.files import TableFile
from foa.spreadsheet import Cell
from ratings.formats import trf
from ratings.otb.models import TournamentPlayer
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.otb.services.rows import places_of
from ratings.rules.b02.types import EntrantResult, GameResult
from ratings.rules.rounding import from_hundredths
from ratings.rules.tie_breaks import TieBreaks
from ratings.rules.units import Hundredths


class CrossTableLine(NamedTuple):
    """A player's line; the names are columns of the file.

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


_TIE_BREAKS: Final = ("buchholz_cut_1", "buchholz", "sonneborn_berger", "won")
_WHO: Final = ("rank", "start_no", "fide_id", "name", "title", "federation", "rating")
_FIGURES: Final = ("points", *_TIE_BREAKS, *CrossTableLine._fields[3:])


def columns_of(rounds: int) -> tuple[str, ...]:
    """Return the columns of a cross-table with this number of rounds."""
    return (*_WHO, *(f"round_{number}" for number in range(1, rounds + 1)), *_FIGURES)


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


def cross_table_file(rated: RatedTournament) -> TableFile:
    """Return the cross-table as a file, by final places."""
    tournament = rated.tournament
    return TableFile(
        name=f"crosstable-{tournament.pk}",
        columns=columns_of(rated.report.rounds),
        source=TournamentPlayer.objects.filter(tournament=tournament),
        rows=_rows(rated),
        noun="players",
        about={"tournament": tournament.name, "status": tournament.status_slug},
    )


def cross_table_rows(rated: RatedTournament) -> Iterator[dict[str, Any]]:
    """Yield the rows of the file by column, with the ``rounds`` together."""
    file, last = cross_table_file(rated), len(_WHO) + rated.report.rounds
    for row in file.rows:
        yield {
            **dict(zip(_WHO, row, strict=False)),
            "rounds": list(row[len(_WHO) : last]),
            **dict(zip(_FIGURES, row[last:], strict=True)),
        }


def _rows(rated: RatedTournament) -> Iterator[tuple[Cell, ...]]:
    ties = places_of(rated.tournament)
    participants = {one.reported.start_rank: one for one in rated.participants}
    places = {number: place for place, number in enumerate(ties, 1)}
    for number, place in places.items():
        one = participants[number]
        reported, line = one.reported, cross_table_line(one)
        yield (
            place,
            line.start_no,
            line.fide_id,
            line.name,
            reported.title,
            reported.federation,
            one.player.rating,
            *(_round(pairing, places) for pairing in reported.rounds),
            None if reported.points is None else Decimal(reported.points) / 10,
            *_tie_break_cells(ties.get(line.start_no)),
            *line[3:],
        )


def _round(pairing: trf.Pairing, places: Mapping[int, int]) -> str:
    """Return a round as 12w1: the opponent's rank, the own colour, the result; a bye as its code alone."""
    if pairing.opponent is None:
        return pairing.result.value.strip()
    return f"{places[pairing.opponent]}{pairing.colour or '-'}{pairing.result.value}".rstrip()


def _tie_break_cells(ties: TieBreaks | None) -> tuple[Cell, ...]:
    """C.07: BH-C1, BH, SB and WON; blank where the tournament has none."""
    if ties is None:
        return (None,) * len(_TIE_BREAKS)
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
