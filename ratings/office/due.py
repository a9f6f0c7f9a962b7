"""What waits for staff, and the public dates of the office: each room says its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, TypeVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """One thing to do. ``text`` says what, ``button`` is the verb, and ``link`` is the page that does it.

    ``at``: when it is due (UTC); None for what waits without a date. ``mine``: it waits for this person.
    """

    text: str
    button: str
    link: str
    at: datetime | None = None
    mine: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A day in the public calendar of the office. ``key``: what it is, the same whenever somebody asks."""

    day: date
    key: str
    text: str
    link: str


Finder = Callable[[Any, datetime], Iterable[Due]]
"""Takes somebody of the staff and a moment (UTC), and finds what is due."""

DateFinder = Callable[[date, date], Iterable[Dated]]
"""Takes the first and the last day of a time, and finds the office's dates within it."""

_FINDERS: Final[list[tuple[str, Finder]]] = []
_DATE_FINDERS: Final[list[DateFinder]] = []

F = TypeVar("F", bound=Finder)
D = TypeVar("D", bound=DateFinder)


def finds_due(permission: str) -> Callable[[F], F]:
    """Register a function that finds what is due for whoever has this permission."""

    def add(find: F) -> F:
        _FINDERS.append((permission, find))
        return find

    return add


def finds_dates(find: D) -> D:
    """Register a function that finds dates of the public calendar."""
    _DATE_FINDERS.append(find)
    return find


def due_for(user: Any, now: datetime) -> Iterator[Due]:
    """Everything that waits for this person, room by room."""
    for permission, find in _FINDERS:
        if user.has_perm(permission):
            yield from find(user, now)


def dates_between(first: date, last: date) -> list[Dated]:
    """The public dates of these days, both included, in their order."""
    found = [one for find in _DATE_FINDERS for one in find(first, last)]
    return sorted(found, key=lambda one: (one.day, one.key))
