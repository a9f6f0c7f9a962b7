"""K in each edition of FIDE's regulations: B.02 8.56 of 2009 and 8.3.3 of 2024, and what a list keeps for it.

In 2009, 25 for the first 30 games, then 15, and 10 for ever once published at 2400. In 2024, 40 for the first
30 games and for the young below 2300, then 20, and 10. Readings where the text is open, as decided for this
office: the order in which 8.3.3 is asked; a player without a known year of birth isn't young.
"""

from datetime import date
from typing import Final, NamedTuple

from ratings.rules.b02.floors import FLOOR
from ratings.rules.units import Points

_K_NEW: Final = 25
_K_UNDER_2400: Final = 15
K_FROM_2400: Final = 10
"""K of both editions for a player who was once published at 2400."""

_K_NEW_2024: Final = 40
_K_UNDER_2400_2024: Final = 20


K_OF_NEW_PLAYERS: Final = frozenset({_K_NEW, 30, 40})
"""K that FIDE’s lists have had for players with fewer than 30 games."""


NEW_PLAYER_GAMES: Final = 30
"""Number of rated games, with those of the first rating, until which K = 25 (B.02 8.56)."""


_HIGH_RATING: Final = Points(2400)


_LESS_HIGH_RATING: Final = Points(2300)
"""8.3.3 of 2024: once published at this, in points, a young player’s K isn't 40 for that alone any more."""


_YOUNG_UNTIL: Final = 18
"""8.3.3: birthday in whose year K = 40 ends for a young player."""


_MOST_K_TIMES_GAMES_2024: Final = 700
"""8.3.3: maximum product of K and a player's games in a period."""


_MOST_K_TIMES_GAMES_WATCHED: Final = 750
"""B.02 12.3: 75 games at K = 10, 50 at 15 and 30 at 25 are the same product."""


class Standing(NamedTuple):
    """A player on a list.

    ``rating``: points, None without one. ``games``: rated games since first rated (8.56). ``reached_2400``: a
    published rating was 2400 or more, once and for all; ``reached_2300`` (8.3.3 of 2024): 2300 or more.
    """

    rating: Points | None = None
    games: int = 0
    reached_2400: bool = False
    reached_2300: bool = False

    @property
    def k(self) -> int | None:
        """B.02 8.56: K that the list shows: 25 for fewer than 30 games, even from 2400 up; then 15, or 10."""
        if self.rating is None:
            return None
        if self.games < NEW_PLAYER_GAMES:
            return _K_NEW
        return K_FROM_2400 if self.reached_2400 else _K_UNDER_2400

    def listed(self, rating: Points, games: int) -> "Standing":
        """Return the standing on the next list with this rating, after ``games`` more rated games.

        B.02 7.21: under the floor they are delisted, and a new player again; what 2400 brought stays (8.56).
        """
        reached_2300 = self.reached_2300 or rating >= _LESS_HIGH_RATING
        if rating < FLOOR:
            return Standing(reached_2400=self.reached_2400, reached_2300=reached_2300)
        reached_2400 = self.reached_2400 or rating >= _HIGH_RATING
        return Standing(rating, self.games + games, reached_2400, reached_2300)


def k_2024(standing: Standing, birth_year: int | None, list_day: date) -> int | None:
    """Return K that the list of ``list_day`` shows in 2024; None without a rating (8.3.3).

    *Reading:* asked in this order. Once published at 2400 or more: 10 for ever; until the end of the year
    of the 18th birthday and never published at 2300 or more: 40; fewer than 30 games: 40; else 20.
    """
    if standing.rating is None:
        return None
    if standing.reached_2400:
        return K_FROM_2400
    is_young = _is_young(birth_year, list_day) and not standing.reached_2300
    return _K_NEW_2024 if is_young or standing.games < NEW_PLAYER_GAMES else _K_UNDER_2400_2024


def k_of_period_2024(k: int, games: int) -> int:
    """Return K for all games of a period, by the K of the list before: at most 700 in all (8.3.3)."""
    return min(k, _MOST_K_TIMES_GAMES_2024 // games) if games else k


def told_by_k(k: int) -> Standing:
    """Return what the K of an imported list tells of games and 2400, which it doesn't show (2009).

    *Reading:* a K of new players (25, 30 or 40) means no games yet, any other 30; K = 10 that 2400 was
    reached.
    """
    return Standing(None, 0 if k in K_OF_NEW_PLAYERS else NEW_PLAYER_GAMES, k == K_FROM_2400)


def told_by_k_2024(k: int, birth_year: int | None, list_day: date) -> Standing:
    """Return what the K of an imported list tells of games, 2300 and 2400, which it doesn't show (2024).

    *Reading:* K = 10 means that 2400 was reached. K = 40 of a young player says nothing of games, so 30
    are taken; K = 20 of a young player that 2300 was reached. Of others, K = 40 means no games yet.
    """
    is_young = _is_young(birth_year, list_day)
    games = 0 if k == _K_NEW_2024 and not is_young else NEW_PLAYER_GAMES
    return Standing(None, games, k == K_FROM_2400, is_young and k == _K_UNDER_2400_2024)


def _is_young(birth_year: int | None, list_day: date) -> bool:
    """Return whether a player's 18th birthday is in this year or later (8.3.3)."""
    return birth_year is not None and list_day.year <= birth_year + _YOUNG_UNTIL


def is_k_of_edition(k: int, rating: Points) -> bool:
    """Return whether a list of this edition can have this K beside this rating (B.02 8.56)."""
    return k in (_K_NEW, K_FROM_2400) or (k == _K_UNDER_2400 and rating < _HIGH_RATING)


def most_games(k: int) -> int:
    """Return the most rated games in a period for K: 75 at K = 10, 50 at 15, 30 at 25 (B.02 12.3).

    Another K, of a list that was taken over from FIDE, has the same product of K and games, rounded down.
    """
    return _MOST_K_TIMES_GAMES_WATCHED // k


def too_many_games(rating: Points | None, k: int | None, games: int) -> bool:
    """Return whether a player with this rating and K played more games in a period than K allows (B.02 12.3).

    Never for a new player, who has no K in the period.
    """
    return rating is not None and k is not None and games > most_games(k)
