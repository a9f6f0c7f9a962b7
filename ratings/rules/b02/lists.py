"""FIDE B.02 7 and 8.56: lists, K, and a player's standing on a list."""

from datetime import date
from enum import Flag, auto
from typing import Final, NamedTuple

from ratings.rules.b02.types import FLOOR
from ratings.rules.units import Points

K_NEW: Final = 25
K_UNDER_2400: Final = 15
K_FROM_2400: Final = 10

K_OF_NEW_PLAYERS: Final = frozenset({K_NEW, 30, 40})
"""K that FIDE’s lists have had for players with fewer than 30 games."""

NEW_PLAYER_GAMES: Final = 30
"""Number of rated games, with those of the first rating, until which K = 25 (B.02 8.56)."""

_HIGH_RATING: Final = Points(2400)

LESS_HIGH_RATING: Final = Points(2300)
"""8.3.3 of 2024: once published at this, in points, a young player’s K isn't 40 for that alone any more."""

INACTIVE_MONTHS: Final = 12
"""Months before a list without a rated game after which a player has flag i (B.02 7.23(a))."""

UNLISTED_MONTHS: Final = 36
"""B.02 7.23(b): two more years with the flag, then no longer listed, but still rated."""


def months_after(day: date, months: int) -> date:
    """Return the same day ``months`` later (earlier if negative), or the last of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    while True:
        try:
            return date(year, month + 1, day.day)
        except ValueError:
            day = day.replace(day=day.day - 1)


def is_k_of_edition(k: int, rating: Points) -> bool:
    """Return whether a list of this edition can have this K beside this rating (B.02 8.56)."""
    return k in (K_NEW, K_FROM_2400) or (k == K_UNDER_2400 and rating < _HIGH_RATING)


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
            return K_NEW
        return K_FROM_2400 if self.reached_2400 else K_UNDER_2400

    def listed(self, rating: Points, games: int) -> "Standing":
        """Return the standing on the next list with this rating, after ``games`` more rated games.

        B.02 7.21: under the floor they are delisted, and a new player again; what 2400 brought stays (8.56).
        """
        if rating < FLOOR:
            return Standing(reached_2400=self.reached_2400)
        return Standing(rating, self.games + games, self.reached_2400 or rating >= _HIGH_RATING)


class Lists(Flag):
    """Places where a player's name is published with a list."""

    NOWHERE = 0
    ALPHABETICAL = auto()
    """B.02 7.12: the rating list by name, with inactive players marked i (7.23(b))."""
    ACTIVE = auto()
    """B.02 7.23(b), 7.24: the lists of the federations and the top list: no inactive players."""
    DELISTED = auto()
    """B.02 7.21: who fell under the floor since the list before."""
    TITLED = auto()
    """B.02 7.22: titled players without a rating."""


def is_inactive(last_game: date, list_day: date) -> bool:
    """Return whether flag i applies: no rated game in the year before the list (B.02 7.23(a))."""
    return last_game < months_after(list_day, -INACTIVE_MONTHS)
