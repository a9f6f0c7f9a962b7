"""How far newcomers, juniors and returners are behind: strength in hindsight less the rating at that time.

Whole-History Rating knows later games, too. Its scale and ours are aligned month by month, on established
members: drift of the whole scale doesn't count.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, Final

import numpy as np

from ratings.lab.arrays import Array, Data
from ratings.lab.replaying import Replay
from ratings.rules.time_controls import Category

MEMBERS: Final = 500
"""Maximum number of members, the most active ones: only the games among them are taken."""

MOST: Final = 100_000
"""Maximum number of these games; of more, every second, third … is taken."""

LEAST: Final = 20
"""Minimum number of members in a group."""

ENOUGH: Final = 50
"""Minimum number of these games of a member who counts: WHR takes strangers for average players."""

NEW: Final = 30
"""Number of games for which somebody is a newcomer; and after which they may be established."""

RETURNED: Final = 10
"""Number of games for which somebody is a returner."""

AWAY: Final = 365
"""Days without a game after which somebody returns."""

ADULT: Final = 18
"""Age, by year of birth, from which somebody isn't a junior any more."""

_ROUNDS: Final = 50
_DAY: Final = 24 * 3600 * 1_000_000
_MONTH: Final = 30
_Z: Final = 1.959964


def behind(data: Data, tell: Callable[[], object] = lambda: None) -> dict[str, Any] | None:
    """Return how far each group is behind, in the category with most games; None without games.

    A group is its number of members, and its mean and 95 % interval in points, which are None for too few
    members. Above 0, they are stronger than their ratings. ``tell`` is called now and then.
    """
    if not data.games:
        return None
    size = len(data.members)
    category = Category(int(np.bincount(data.white // size).argmax()) + 1)
    games = np.flatnonzero(data.white // size == category - 1)
    players = np.stack([data.white[games], data.black[games]], axis=1).astype(np.int64) % size
    days = data.moment[games] // _DAY
    number, since_return = _histories(players, days)
    before = np.empty((data.games, 2), np.int32)
    Replay(data).advance(data.games, before)
    rating = before[games]
    chosen = _among_the_most_active(players, size)
    strength = _strengths(players[chosen], data.points[games[chosen]], days[chosen], tell)
    # From here on, each game has two rows.
    member, rating = players[chosen].ravel(), rating[chosen].ravel()
    years = np.repeat(days[chosen].astype("datetime64[D]").astype("datetime64[Y]").astype(int) + 1970, 2)
    born = data.born[member].astype(np.int64)
    groups = {
        "newcomers": number[chosen].ravel() < NEW,
        "juniors": (born > 0) & (years - born < ADULT),
        "returners": since_return[chosen].ravel() < RETURNED,
    }
    apart = strength - rating / 100
    counts = (rating >= 0) & (np.bincount(member, minlength=size)[member] >= ENOUGH)
    established = counts & ~np.logical_or.reduce([*groups.values()])
    months = np.repeat(days[chosen] // _MONTH, 2) - days[0] // _MONTH
    apart -= _level(months, established, apart, member)
    known = counts & ~np.isnan(apart)
    return {
        "category": category.slug,
        "games": len(chosen),
        "established": len(np.unique(member[established & known])),
        "groups": {
            name: _mean(_by_member(member[one & known], apart[one & known])) for name, one in groups.items()
        },
    }


def _histories(players: Array, days: Array) -> tuple[Array, Array]:
    """Return for both players of each game how many they had played before, in all and since a return."""
    flat, when = players.ravel(), np.repeat(days, 2)
    order = np.argsort(flat, kind="stable")
    place = np.arange(len(flat))
    is_first = np.diff(flat[order], prepend=-1) != 0
    returns = ~is_first & (np.diff(when[order], prepend=when[order][0]) >= AWAY)
    first = np.maximum.accumulate(np.where(is_first, place, 0))
    last = np.maximum.accumulate(np.where(returns, place, -1))
    number, since_return = np.empty_like(place), np.empty_like(place)
    number[order] = place - first
    since_return[order] = np.where(last >= first, place - last, len(flat))
    return number.reshape(-1, 2), since_return.reshape(-1, 2)


def _among_the_most_active(players: Array, size: int) -> Array:
    """Return the numbers of the games among the most active members, evenly thinned out to ``MOST``."""
    rank = np.empty(size, np.int64)
    rank[np.argsort(-np.bincount(players.ravel(), minlength=size), kind="stable")] = np.arange(size)
    found = np.flatnonzero(rank[players].max(axis=1) < MEMBERS)
    return found[:: -(-len(found) // MOST) or 1]


def _strengths(players: Array, points: Array, days: Array, tell: Callable[[], object]) -> Array:
    """Return both players' strengths on the day of each game, game by game, on a scale of their own."""
    import whr

    base = whr.Base()
    for (white, black), score, day in zip(players.tolist(), points.tolist(), days.tolist(), strict=True):
        base.create_game(str(black), str(white), ("B", "D", "W")[score], day)
    for _round in range(_ROUNDS):
        tell()
        base.iterate(1)
    found = {
        (member, day): strength
        for member in set(players.ravel().tolist())
        for day, strength, _uncertainty in base.ratings_for_player(str(member))
    }
    both = zip(players.ravel().tolist(), np.repeat(days, 2).tolist(), strict=True)
    return np.array([found[one] for one in both])


def _level(months: Array, established: Array, apart: Array, members: Array) -> Array:
    """Return the mean of established members in the month of each row; NaN for fewer than ``LEAST``."""
    number = np.bincount(months, established)
    total = np.bincount(months, np.where(established, apart, 0))
    pairs = np.unique(np.stack([months[established], members[established]]), axis=1)
    known = np.bincount(pairs[0], minlength=len(number))
    return np.where(known >= LEAST, total / np.maximum(number, 1), np.nan)[months]


def _by_member(members: Array, values: Array) -> Array:
    """Return each member's mean."""
    _known, place = np.unique(members, return_inverse=True)
    return np.bincount(place, values) / np.bincount(place)


def _mean(group: Array) -> list[Any]:
    """Return the number of a group's members, and their mean with its interval."""
    if len(group) < LEAST:
        return [len(group), None, None, None]
    mean, half = float(group.mean()), _Z * float(group.std(ddof=1)) / sqrt(len(group))
    return [len(group), round(mean), round(mean - half), round(mean + half)]
