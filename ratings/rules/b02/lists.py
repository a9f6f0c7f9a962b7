"""FIDE B.02 7 and 8.56: periods, closing days, and how a player stands on a list."""

from collections.abc import Iterable
from datetime import date, timedelta
from enum import Flag, auto
from typing import Final, NamedTuple

from ratings.rules.b02.parts import FLOOR, IN_FORCE, Edition
from ratings.rules.rounding import displayed
from ratings.rules.units import Hundredths, Points

K_NEW: Final = 25
K_UNDER_2400: Final = 15
K_FROM_2400: Final = 10

NEW_PLAYER_GAMES: Final = 30
"""B.02 8.56: K = 25 until so many rated games, those of the first rating among them."""

_HIGH_RATING: Final = Points(2400)

INACTIVE_MONTHS: Final = 12
"""B.02 7.23(a): flag i when the last rated game was earlier than so many months before the list."""

UNLISTED_MONTHS: Final = 36
"""B.02 7.23(b): two more years with the flag, then no longer listed, but still rated."""


def months_after(day: date, months: int) -> date:
    """The same day so many months later (earlier if negative), or the last of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    while True:
        try:
            return date(year, month + 1, day.day)
        except ValueError:
            day = day.replace(day=day.day - 1)


def list_in_force(day: date, edition: Edition = IN_FORCE) -> date:
    """B.02 7.11, 7.3: the first day of the list under which a tournament that begins on ``day`` is played."""
    return date(day.year, day.month - (day.month - 1) % edition.months_per_list, 1)


def next_list(list_day: date, edition: Edition = IN_FORCE) -> date:
    """B.02 7.11, 7.3: the first day of the list after the one of ``list_day``."""
    return months_after(list_in_force(list_day, edition), edition.months_per_list)


def closing_day(list_day: date, official: bool = False) -> date:
    """B.02 7.13: the last day on which a tournament can end to be rated on the list of ``list_day``.

    Seven days before it; for official FIDE tournaments the day before it.
    """
    return list_day - timedelta(days=1 if official else 7)


def rated_on(last_day: date, official: bool = False, edition: Edition = IN_FORCE) -> date:
    """B.02 7.13: the first list on which a tournament that ended on ``last_day`` can be rated."""
    list_day = next_list(last_day, edition)
    return list_day if last_day <= closing_day(list_day, official) else next_list(list_day, edition)


def new_rating(rating: Points, changes: Iterable[Hundredths]) -> Points:
    """B.02 8.55(c), 8.57: Rn = Ro + all changes of the period (hundredths), rounded once, half up."""
    return displayed(Hundredths(100 * rating + sum(changes)))


def is_k_of_edition(k: int, rating: Points) -> bool:
    """B.02 8.56: whether a list of this edition can have this K beside this rating."""
    return k in (K_NEW, K_FROM_2400) or (k == K_UNDER_2400 and rating < _HIGH_RATING)


class Standing(NamedTuple):
    """A player on a list.

    ``rating``: points, None without one. ``games``: rated games since first rated (8.56). ``reached_2400``: a
    published rating was 2400 or more, once and for all.
    """

    rating: Points | None = None
    games: int = 0
    reached_2400: bool = False

    @property
    def k(self) -> int | None:
        """B.02 8.56: K that the list shows: 25 for fewer than 30 games, even from 2400 up; then 15, or 10."""
        if self.rating is None:
            return None
        if self.games < NEW_PLAYER_GAMES:
            return K_NEW
        return K_FROM_2400 if self.reached_2400 else K_UNDER_2400

    def listed(self, rating: Points, games: int) -> "Standing":
        """How they stand on the next list with this rating, after so many more rated games.

        B.02 7.21: under the floor they are delisted, and a new player again; what 2400 brought stays (8.56).
        """
        if rating < FLOOR:
            return Standing(reached_2400=self.reached_2400)
        return Standing(rating, self.games + games, self.reached_2400 or rating >= _HIGH_RATING)


class Lists(Flag):
    """Where a player's name is published with a list."""

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
    """B.02 7.23(a): flag i: no rated game in the year before the list."""
    return last_game < months_after(list_day, -INACTIVE_MONTHS)


def lists_of(
    rating: Points | None, last_game: date, list_day: date, *, was_rated: bool = False, titled: bool = False
) -> Lists:
    """B.02 7.12, 7.2: on which lists of ``list_day`` a player stands.

    ``last_game``: the day of their last rated game; ``was_rated``: the list before had a rating of theirs.
    """
    if rating is None:
        lists = Lists.DELISTED if was_rated else Lists.NOWHERE
        return lists | Lists.TITLED if titled else lists
    if last_game < months_after(list_day, -UNLISTED_MONTHS):
        return Lists.NOWHERE
    return Lists.ALPHABETICAL if is_inactive(last_game, list_day) else Lists.ALPHABETICAL | Lists.ACTIVE
