"""Over the board: a player's tournament by an edition of FIDE's regulations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from ratings.rules.b02.book import Book, PeriodResults
from ratings.rules.b02.editions import B02_2009, book_on
from ratings.rules.b02.types import Chapter, Game, Player, Result, Tournament, TournamentType
from ratings.rules.units import HalfPoints, Hundredths, Points

STANDARD, RAPID_AND_BLITZ, OF_2009 = "b02-2024", "b02-rapid-blitz-2024", "b02"
FORMULA: Final = "formula"
"""Name of the estimate by the FIDE formula, which belongs to no edition."""

EDITIONS: Final[dict[str, Book]] = {
    STANDARD: book_on(date(2025, 10, 1)),
    # The two chapters have the same rules.
    RAPID_AND_BLITZ: book_on(date(2024, 12, 1), chapter=Chapter.RAPID),
    OF_2009: B02_2009,
}
"""Editions by their names in addresses. A name keeps its edition, so that a shared result stays the same."""


class Rated(NamedTuple):
    """A player's tournament, rated as if it were the only one of its period.

    ``k``, ``change`` (hundredths), ``rating`` (of the next list, in points): of a player with a rating.
    """

    result: Result
    k: int | None = None
    change: Hundredths | None = None
    rating: Points | None = None


def rate(
    edition: Book,
    rating: Points | None,
    k: int | None,
    games: Sequence[tuple[Points | None, HalfPoints | None]],
) -> Rated:
    """Return what games bring a player of a Swiss, whose opponents' other games are of no concern.

    ``games``: the opponent's rating and the half points, None for an unrated opponent and for a game that was
    not played.
    """
    players, rounds = [Player(1, rating, k)], []
    for number, (opponent, half_points) in enumerate(games, 1):
        is_played = half_points is not None
        is_paired = is_played or opponent is not None
        if is_paired:
            # K of the opponents moves nobody but them.
            players.append(Player(number + 1, opponent, 10))
        rounds.append(Game(number, 1, number + 1 if is_paired else None, half_points, is_played))
    (stage,) = edition.rate([Tournament(TournamentType.SWISS, players, rounds)])
    found = stage.rating.results[0]
    if rating is None or k is None:
        return Rated(found)
    total = PeriodResults(k, found.rated_games, found.change or Hundredths(0), found.delta or Hundredths(0))
    change = edition.period_change(total)
    return Rated(
        found,
        edition.k_of_period(k, found.rated_games),
        None if found.change is None else change,
        edition.new_rating(rating, [change]),
    )
