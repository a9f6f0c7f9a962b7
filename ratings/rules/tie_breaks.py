"""FIDE C.07: Buchholz, its Cut-1, Sonneborn-Berger and games won, in tournaments of individual players.

Scores are half points, and a score times a result is in quarter points, so that nothing is ever rounded.
A win is worth 1 point and a draw ½; a bye may be worth less.

Two editions are known. For what is calculated here they differ in 16.4 alone: since 1 March 2026 the score of
the dummy opponent has a limit. The handbook's own pages could not be reached for this module. Articles 8 and
14 to 16 follow a full copy of the edition of 2026; 7.2, 9.1 and the edition of 2024 follow quotations of them
and the worked examples of FIDE's Technical Commission, which are among the tests.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Final, NamedTuple, NewType

from ratings.rules.units import DRAW, WIN, HalfPoints

QuarterPoints = NewType("QuarterPoints", int)
"""Quarter points: an opponent's score in half points times the half points scored against them."""


@dataclass(frozen=True, slots=True)
class C07Edition:
    """An edition of C.07. ``since``: the first day of the tournaments that it is for.

    ``limits_dummy``: 16.4.1, 16.4.2: whether the dummy opponent's score has a limit.
    """

    since: date
    limits_dummy: bool


C07_2024: Final = C07Edition(date(2024, 8, 1), limits_dummy=False)
C07_2026: Final = C07Edition(date(2026, 3, 1), limits_dummy=True)


def c07_on(first_day: date) -> C07Edition:
    """Return the edition for a tournament that begins on this day; before 2024 that of 2024, too."""
    return C07_2026 if first_day >= C07_2026.since else C07_2024


class How(Enum):
    """Ways in which a player spent a round (15.1, 16.1, 16.2)."""

    PLAYED = 1
    FORFEIT = 2
    """16.2.2, 16.2.4: a game won or lost without being played."""
    GIVEN_BYE = 3
    """16.2.1: a pairing-allocated or full-point bye."""
    REQUESTED_BYE = 4
    """16.1.1: a half-point or zero-point bye. Also every round before an arrival or after a withdrawal."""


class Round(NamedTuple):
    """A round of a player. ``half_points``: as awarded. ``opponent``: also of a forfeit; None for a bye."""

    how: How
    half_points: HalfPoints
    opponent: int | None = None

    @property
    def voluntary(self) -> bool:
        """16.1.2: whether the player was not available to play (a requested bye or a forfeit loss)."""
        return self.how is How.REQUESTED_BYE or (self.how is How.FORFEIT and not self.half_points)


class TieBreaks(NamedTuple):
    """The tie-breaks of a player; higher is better.

    ``buchholz_cut_1``, ``buchholz``: None in a round robin (8). ``won``: games won over the board (7.2).
    """

    buchholz_cut_1: HalfPoints | None
    buchholz: HalfPoints | None
    sonneborn_berger: QuarterPoints
    won: int

    @property
    def order(self) -> tuple[int, ...]:
        """Values that order equal scores: BH-C1, BH, SB, WON; in a round robin SB, WON."""
        return (self.buchholz_cut_1 or 0, self.buchholz or 0, self.sonneborn_berger, self.won)


def swiss_tie_breaks(players: Mapping[int, Sequence[Round]], edition: C07Edition) -> dict[int, TieBreaks]:
    """Return all players' tie-breaks (16). ``players``: by start number, all with equally many rounds."""
    adjusted = {number: adjusted_score(rounds) for number, rounds in players.items()}
    return {number: _swiss(rounds, adjusted, edition) for number, rounds in players.items()}


def round_robin_tie_breaks(players: Mapping[int, Sequence[Round]]) -> dict[int, TieBreaks]:
    """Return all players' tie-breaks in a tournament with predetermined pairings.

    15.2: a forfeit is a regular game, so it counts with the opponent's score; a free round doesn't count.
    For WON it doesn't make a game that was won over the board (7.2).
    """
    scores = {number: _score(rounds) for number, rounds in players.items()}
    return {
        number: TieBreaks(
            None,
            None,
            QuarterPoints(sum(scores[one.opponent] * one.half_points for one in rounds if one.opponent)),
            _won(rounds),
        )
        for number, rounds in players.items()
    }


def adjusted_score(rounds: Sequence[Round]) -> HalfPoints:
    """Return the score that counts for the player's opponents (16.3).

    16.3.2: a requested bye counts as a draw if it is in the last round, or only rounds for which the player
    was not available follow (16.2.5). 16.3.1: every other round counts as awarded.
    """
    total, at_the_end = 0, True
    for one in reversed(rounds):
        as_draw = at_the_end and one.how is How.REQUESTED_BYE
        total += DRAW if as_draw else one.half_points
        at_the_end = at_the_end and one.voluntary
    return HalfPoints(total)


def _swiss(rounds: Sequence[Round], adjusted: Mapping[int, HalfPoints], edition: C07Edition) -> TieBreaks:
    against = list(_opponents_scores(rounds, adjusted, edition))
    buchholz = sum(against)
    voluntary = [score for score, one in zip(against, rounds, strict=True) if one.voluntary]
    # 16.5.1: of a player with voluntary unplayed rounds, the lowest value from these is cut, not the lowest
    # of all. Its condition, that it is not lower than the lowest of all, always holds for Buchholz.
    cut = min(voluntary or against, default=0)
    return TieBreaks(
        HalfPoints(buchholz - cut),
        HalfPoints(buchholz),
        QuarterPoints(sum(score * one.half_points for score, one in zip(against, rounds, strict=True))),
        _won(rounds),
    )


def _opponents_scores(
    rounds: Sequence[Round], adjusted: Mapping[int, HalfPoints], edition: C07Edition
) -> Iterator[int]:
    """Yield for each round the opponent's score (8.1), or a dummy's for a round without a game (16.4)."""
    own = _score(rounds)
    for one in rounds:
        if one.how is How.PLAYED and one.opponent is not None:
            yield adjusted[one.opponent]
        elif not edition.limits_dummy:
            yield own
        elif one.how is How.FORFEIT and one.opponent is not None:
            yield min(own, adjusted[one.opponent])  # 16.4.1
        else:
            yield min(own, DRAW * len(rounds))  # 16.4.2


def _score(rounds: Sequence[Round]) -> HalfPoints:
    return HalfPoints(sum(one.half_points for one in rounds))


def _won(rounds: Sequence[Round]) -> int:
    return sum(one.how is How.PLAYED and one.half_points == WIN for one in rounds)
