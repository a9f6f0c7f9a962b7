"""FIDE B.02 4.11, 4.13: a league that is rated period by period, with the ratings of each game's day."""

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from ratings.rules.b02.lists import list_in_force, rated_on
from ratings.rules.b02.types import IN_FORCE, Edition


class LeaguePart(NamedTuple):
    """The rounds of a league that are rated together, as a tournament of its own.

    ``in_force``: day of the list whose ratings they are rated with; ``rated_on``: of the first list on which
    they can be rated (7.13). ``rounds``: their numbers; ``first_day``, ``last_day``: days of play.
    """

    in_force: date
    rated_on: date
    rounds: tuple[int, ...]
    first_day: date
    last_day: date


def parts_of(
    round_days: Mapping[int, date], official: bool = False, edition: Edition = IN_FORCE
) -> list[LeaguePart]:
    """Return the parts of a league, in the order of their days (B.02 4.13, 7.13).

    Rounds are of one part if the same list is in force on their days, and the same list can rate them first.
    A round in the last week of a period is therefore a part of its own: it has the ratings of that period,
    and is rated with the next.
    """
    found: dict[tuple[date, date], list[tuple[date, int]]] = {}
    for number, day in round_days.items():
        key = list_in_force(day, edition), rated_on(day, official, edition)
        found.setdefault(key, []).append((day, number))
    return [
        LeaguePart(*key, tuple(sorted(number for _, number in rounds)), min(rounds)[0], max(rounds)[0])
        for key, rounds in sorted(found.items())
    ]
