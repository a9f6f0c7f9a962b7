"""The scale of published lists, from each to the next. Rule books say what theirs were, the lab shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Final, NamedTuple

from django.utils.functional import Promise

from ratings.rules.rounding import displayed, divide_half_up, from_hundredths
from ratings.rules.units import Hundredths, Points

LISTS: Final = 60
"""Maximum number of lists of a scale, the latest ones."""

QUANTILES: Final = (10, 25, 75, 90)
"""Per cent of the players below each quantile."""


class ListScale(NamedTuple):
    """The ratings on a published list: ``mean`` exact, ``median`` and ``quantiles`` as displayed.

    ``entrants``, ``leavers``: since the list before; None if there is none.
    """

    label: str
    address: str
    players: int
    mean: Decimal | None
    median: Points | None
    quantiles: tuple[Points, ...]
    entrants: int | None
    leavers: int | None


class Scale(NamedTuple):
    """Lists that follow each other. ``find`` returns the scale of each of the last lists, oldest first."""

    slug: str
    title: str | Promise
    find: Callable[[], Iterable[ListScale]]


def place(players: int, per_cent: int) -> int:
    """Return the place of a quantile, from the lowest rating up: as many per cent have it or less."""
    return max(1, -(-players * per_cent // 100))


def scale_of(
    ratings: Mapping[int, int],
    label: str,
    address: str,
    entrants: int | None = None,
    leavers: int | None = None,
) -> ListScale:
    """Return the scale of a list from how many players have each rating, in hundredths."""
    players = sum(ratings.values())
    places = [(players + 1) // 2, players // 2 + 1, *(place(players, part) for part in QUANTILES)]
    found: dict[int, int] = {}
    reached = 0
    for rating, number in sorted(ratings.items()):
        found |= {one: rating for one in places if reached < one <= reached + number}
        reached += number
    if not players:
        return ListScale(label, address, 0, None, None, (), entrants, leavers)
    mean = divide_half_up(sum(rating * number for rating, number in ratings.items()), players)
    middle = divide_half_up(found[places[0]] + found[places[1]], 2)
    quantiles = tuple(displayed(Hundredths(found[one])) for one in places[2:])
    exact = from_hundredths(Hundredths(mean))
    return ListScale(
        label, address, players, exact, displayed(Hundredths(middle)), quantiles, entrants, leavers
    )
