"""Work due for staff, and the office's public dates. Each room adds its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, NamedTuple, TypeVar

from django.db import models
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """One thing to do. ``text`` describes it, ``button`` is the verb, and ``link`` is the page that does it.

    ``at``: when it is due (UTC), or None without a date. ``mine``: it waits for this person.
    """

    text: str
    button: str
    link: str
    at: datetime | None = None
    mine: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A day in the office's public calendar. ``key``: a stable identifier of the entry."""

    day: date
    key: str
    text: str
    link: str


class Step(models.TextChoices):
    """The steps of closing a month, in order."""

    FIDE_LIST = "fide-list", _("FIDE list imported")
    ANNOUNCED = "announced", _("FIDE list announced")
    FIRST_RATINGS = "first-ratings", _("First ratings given")
    CASES = "cases", _("Cases decided")
    AUDIT = "audit", _("Findings of the audit looked through")
    GAMES = "games", _("Games without a result entered")
    PUBLISHED = "published", _("Rating lists published")
    REVISED = "revised", _("Lists revised after corrections")


class Looked(NamedTuple):
    """What a step of closing a month looked at, and when. ``is_done``: something was done for this month."""

    is_done: bool
    text: str


class StepState(NamedTuple):
    """State of one step. ``due``: what waits; None if the user may not see it. ``looked``: None with it."""

    step: Step
    due: list[Due] | None
    looked: Looked | None


Finder = Callable[[Any, datetime], Iterable[Due]]
"""Function that takes a member of staff and a moment (UTC), and yields what is due."""

DateFinder = Callable[[date, date], Iterable[Dated]]
"""Function that takes the first and last day of a period, and yields the office's dates within it."""

Looker = Callable[[datetime, datetime], Looked]
"""Function that takes the first moment of a month and now (UTC), and says what a step of it has done."""

_LOOKERS: Final[dict[Step, Looker]] = {}
_FINDERS: Final[list[tuple[str, Finder, Step | None]]] = []
_DATE_FINDERS: Final[list[DateFinder]] = []

F = TypeVar("F", bound=Finder)
D = TypeVar("D", bound=DateFinder)
L = TypeVar("L", bound=Looker)


def finds_due(permission: str, *, step: Step | None = None) -> Callable[[F], F]:
    """Register a function that finds what is due for users with this permission; "" means everybody.

    ``step``: a step of closing a month, which is done once the function finds nothing.
    """

    def add(find: F) -> F:
        _FINDERS.append((permission, find, step))
        return find

    return add


def looks_at(step: Step) -> Callable[[L], L]:
    """Register the function that says what a step has done for a month."""

    def add(look: L) -> L:
        _LOOKERS[step] = look
        return look

    return add


def finds_dates(find: D) -> D:
    """Register a function that finds dates of the public calendar."""
    _DATE_FINDERS.append(find)
    return find


def due_for(user: Any, now: datetime) -> Iterator[Due]:
    """Yield everything that waits for this person, room by room."""
    for permission, find, _step in _FINDERS:
        if not permission or user.has_perm(permission):
            yield from find(user, now)


def steps_of_month(user: Any, month: datetime, now: datetime) -> list[StepState]:
    """Return the state of each step of closing a month, as far as this person may see it.

    ``month``: its first moment. A step that waits for nothing is done only if something was done.
    """
    states = []
    for step in Step:
        finders = [(permission, find) for permission, find, one in _FINDERS if one == step]
        if not finders:
            continue
        may_see = all(user.has_perm(permission) for permission, _find in finders)
        due = [one for _permission, find in finders for one in find(user, now)] if may_see else None
        states.append(StepState(step, due, _LOOKERS[step](month, now) if may_see else None))
    return states


def dates_between(first: date, last: date) -> list[Dated]:
    """Return the public dates between two days, inclusive, in order."""
    found = [one for find in _DATE_FINDERS for one in find(first, last)]
    return sorted(found, key=lambda one: (one.day, one.key))
