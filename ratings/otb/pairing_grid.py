"""The cross-table of a page: by final place, with results by round or by opponent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import Final

from foa.text import NOTHING
from ratings.formats import trf
from ratings.otb.services.crosstable import CrossTableLine, counts_for, cross_table_line
from ratings.otb.services.places import HALF_POINTS, ranks_count
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rbb.labels import SCORE_KINDS, SCORES, half_points_text
from ratings.rules.b02.types import TournamentType
from ratings.rules.fide_page.estimates import performance_against
from ratings.rules.rounding import displayed, divide_half_up, from_hundredths
from ratings.rules.tie_breaks import TieBreaks
from ratings.rules.units import Hundredths

_WIDEST_GRID: Final = 30
"""Maximum number of players of a round robin for a table by opponent; more don't fit on a screen."""

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
_BYES: Final = {
    trf.Result.HALF_POINT_BYE: SCORES[1],
    trf.Result.DRAW: SCORES[1],
    trf.Result.FULL_POINT_BYE: SCORES[2],
    trf.Result.ALLOCATED_BYE: SCORES[2],
    trf.Result.FORFEIT_WIN: SCORES[2],
}
"""Byes that bring points."""


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
    the report has ranks of all players that count, so that no place follows from a tie-break.
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
    """Return the rows of some players; ``placed``: all of them, in order."""
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
        reported=ranks_count(TournamentType(rated.tournament.kind), rated.report.players),
    )


@dataclass(frozen=True, slots=True)
class Side:
    """A player of a pairing. ``points``: before the round; None where points aren't those of the results.

    ``change``: what the game gives their rating, exact; None if it doesn't count for a rated player.
    """

    participant: Participant
    points: str | None
    change: Decimal | None


@dataclass(frozen=True, slots=True)
class RoundGame:
    """A pairing of a round. ``black``: None for a bye, or a round that a player was absent from."""

    round: int
    white: Side
    black: Side | None
    result: str


def games_of_round(rated: RatedTournament, number: int) -> list[RoundGame]:
    """Return the pairings of a round in the order of a pairing sheet, then the byes.

    By the score of the higher ranked player, the sum of both scores, and the higher one's start number.
    """
    sheet = _Sheet(rated)
    return sorted(sheet.games(number, sheet.players), key=sheet.place)


def own_games(rated: RatedTournament, start_rank: int) -> list[RoundGame]:
    """Return the rounds of the player with this start number."""
    sheet = _Sheet(rated)
    found: list[RoundGame] = []
    for number in range(1, rated.report.rounds + 1):
        opponent = sheet.pairing(start_rank, number).opponent
        found += sheet.games(number, (start_rank,) if opponent is None else (start_rank, opponent))
    return found


def has_colours(rated: RatedTournament) -> bool:
    """Return whether the report says who had White."""
    return any(pairing.colour for one in rated.participants for pairing in one.reported.rounds)


class _Sheet:
    """The players of a tournament by start number, and their half points before each round."""

    def __init__(self, rated: RatedTournament) -> None:
        self.players = {one.reported.start_rank: one for one in rated.participants}
        self.scores = {
            key: tuple(accumulate((HALF_POINTS[one.result] for one in player.reported.rounds), initial=0))
            for key, player in self.players.items()
        }
        self.has_points = all(
            player.reported.points == _TENTHS * self.scores[key][-1] for key, player in self.players.items()
        )

    def pairing(self, key: int, number: int) -> trf.Pairing:
        rounds = self.players[key].reported.rounds
        return rounds[number - 1] if number <= len(rounds) else trf.NO_PAIRING

    def side(self, key: int, number: int) -> Side:
        player = self.players[key]
        points = half_points_text(self.scores[key][number - 1]) if self.has_points else None
        return Side(player, points, _change(player, number))

    def games(self, number: int, keys: Iterable[int]) -> Iterator[RoundGame]:
        """Yield the pairings of these players in a round, each once."""
        for key in keys:
            pairing = self.pairing(key, number)
            opponent, colour, result = pairing
            if opponent is None:
                if pairing != trf.NO_PAIRING:
                    points = _BYES.get(result, SCORES[0])
                    yield RoundGame(number, self.side(key, number), None, points)
                continue
            _key, their_colour, theirs = self.pairing(opponent, number)
            is_white = colour == "w" or their_colour == "b"
            is_black = colour == "b" or their_colour == "w"
            if is_white or (not is_black and key < opponent):
                sides = self.side(key, number), self.side(opponent, number)
                yield RoundGame(number, *sides, _result(result, theirs))

    def place(self, game: RoundGame) -> tuple[bool, int, int, int]:
        """Return the place of a pairing on the sheet."""
        keys = [one.participant.reported.start_rank for one in (game.white, game.black) if one is not None]
        before = {key: self.scores[key][game.round - 1] for key in keys}
        higher = min(keys, key=lambda key: (-before[key], key))
        return game.black is None, -before[higher], -sum(before.values()), higher


_TENTHS: Final = 5
"""Tenths of a point in half a point."""


def _change(participant: Participant, number: int) -> Decimal | None:
    """Return K times the score less the expected score of the game of a round."""
    result = participant.result
    if result.k is None or result.change is None:
        return None
    for game in result.games:
        if game.round == number and counts_for(result, game) and game.expected is not None:
            return from_hundredths(Hundredths(result.k * (50 * (game.half_points or 0) - game.expected)))
    return None


def _result(white: trf.Result, black: trf.Result) -> str:
    """Return a result as people write it; of a penalty the two sides don't make one point."""
    if white is black is trf.Result.BLANK:
        return NOTHING
    between = "-" if _MARKS[white].text in SCORES and _MARKS[black].text in SCORES else " "
    return between.join((_MARKS[white].text, _MARKS[black].text))


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
    """Return the results against each opponent, in the order of the rounds."""
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
    """Return the points of all rounds, with byes and forfeits, by the usual points."""
    tenths = participant.reported.points
    if tenths is None or tenths % 5 or tenths < 0:
        return "" if tenths is None else f"{tenths / 10:.1f}"
    return half_points_text(tenths // 5)


def performance_of(participant: Participant) -> int | None:
    """Return the performance rating in the rated games, or None without any."""
    result = participant.result
    if not result.counts or result.average is None:
        return None
    average = Hundredths(100 * result.average)
    return displayed(performance_against(average, result.rated_games, result.half_points).rating)
