"""FIDE's regulations of 1 March 2024, 7.1, 7.2, 8.3.3, 8.3.4 and 9.1: lists, K, and a player's standing.

Readings where the text is open, as decided for this office: the order in which 8.3.3 is asked; below 1400 the
old figure isn't used again, but the games stay; a player without a known year of birth isn't young.
"""

from datetime import date
from typing import Final

from ratings.rules.b02.lists import (
    NEW_PLAYER_GAMES,
    Lists,
    Standing,
    is_inactive,
    months_after,
)
from ratings.rules.b02.types import Chapter
from ratings.rules.rounding import divide_half_up
from ratings.rules.units import Hundredths, Points

FLOOR: Final = Points(1400)
"""7.1.2, 7.2.1: the lowest published rating, in points."""

K_NEW: Final = 40
K_UNDER_2400: Final = 20
K_FROM_2400: Final = 10

YOUNG_UNTIL: Final = 18
"""8.3.3: birthday in whose year K = 40 ends for a young player."""

MOST_K_TIMES_GAMES: Final = 700
"""8.3.3: maximum product of K and a player's games in a period."""

LISTS_TO_REPORT: Final = 3
"""9.1: lists after the end of a tournament, the last of which its report must not miss."""

SPLIT_AFTER_DAYS: Final = 30
"""7.1.1, *reading*: days, the first and the last counted, above which a tournament is rated game by game.

Each game then uses the list in force on its own day.
"""

ONE_OFF_BELOW: Final = Points(2000)
"""One-off change of 1 March 2024: the players below this rating, in points, have it."""


def k(standing: Standing, birth_year: int | None, list_day: date) -> int | None:
    """Return K that the list of ``list_day`` shows; None without a rating (8.3.3).

    *Reading:* asked in this order. Once published at 2400 or more: 10 for ever; until the end of the year of
    the 18th birthday and never published at 2300 or more: 40; fewer than 30 games: 40; else 20.
    """
    if standing.rating is None:
        return None
    if standing.reached_2400:
        return K_FROM_2400
    young = birth_year is not None and list_day.year <= birth_year + YOUNG_UNTIL
    if (young and not standing.reached_2300) or standing.games < NEW_PLAYER_GAMES:
        return K_NEW
    return K_UNDER_2400


def k_of_period(k: int, games: int) -> int:
    """Return K for a player's games of a period: at most 700 in all (8.3.3)."""
    return min(k, MOST_K_TIMES_GAMES // games) if games else k


def rounded_change(change: Hundredths) -> Points:
    """Return the change of a period in points, rounded half away from zero (8.3.4): −2.50 is −3."""
    points = (abs(change) + 50) // 100
    return Points(points if change >= 0 else -points)


def seeded(own: Standing, standard: Standing, chapter: Chapter) -> Standing:
    """Return a player's standing at the start of a rapid or blitz tournament (7.2.1 of rapid and blitz).

    Without a rating there, the standard rating is used. *Reading:* K is that of a player new to the list, so
    the games and the highest rating are those of the rapid or blitz list.
    """
    if chapter is Chapter.STANDARD or own.rating is not None:
        return own
    return own._replace(rating=standard.rating)


def last_list_to_report(last_day: date) -> date:
    """Return the third list after the end of a tournament: a report that misses it isn't rated (9.1)."""
    return months_after(last_day.replace(day=1), LISTS_TO_REPORT)


def is_split(first_day: date, last_day: date) -> bool:
    """Return whether a tournament is so long that each game uses the list of its day (7.1.1)."""
    return (last_day - first_day).days + 1 > SPLIT_AFTER_DAYS


def lists_of(rating: Points | None, last_game: date, list_day: date) -> Lists:
    """Return the lists of ``list_day`` that have a player: only who has a rating is published (7.1.2).

    After a year without a rated game with the flag i, for as long as it takes (7.2.2).
    """
    if rating is None:
        return Lists.NOWHERE
    return Lists.ALPHABETICAL if is_inactive(last_game, list_day) else Lists.ALPHABETICAL | Lists.ACTIVE


def raised(rating: Points) -> Points:
    """Return a rating after the one-off change of 1 March 2024: 0.40 × (2000 − rating) more, half up."""
    return rating if rating >= ONE_OFF_BELOW else Points(divide_half_up(3 * rating + 2 * ONE_OFF_BELOW, 5))
