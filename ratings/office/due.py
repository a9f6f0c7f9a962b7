"""Work due for staff, and the office's public dates. Each room adds its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeVar

from django.db import models
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.office.models import PutOff


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """One thing to do. ``text`` describes it, ``button`` is the verb, and ``link`` is the page that does it.

    ``at``: when it is due (UTC), or None without a date. ``mine``: it waits for this person. ``key``: what
    tells it from other tasks, if its link doesn't. ``kind``: the heading above it, from its finder.
    """

    text: str
    button: str
    link: str
    at: datetime | None = None
    mine: bool = False
    key: str = ""
    kind: str = ""

    @property
    def identity(self) -> str:
        """Return what is the same for as long as it is the same task, in every language."""
        return self.key or self.link

    @property
    def is_past(self) -> bool:
        """Return whether its date has come."""
        return self.at is not None and self.at <= timezone.now()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A day in the office's public calendar.

    ``key``: a stable identifier of the kind; ``heading``: that of its column in the table of the year.
    ``list_day``: the day of the list that it is a deadline for.
    """

    day: date
    key: str
    heading: str
    text: str
    link: str
    list_day: date | None = None

    @property
    def month(self) -> date:
        """Return the first day of the month whose row has it."""
        return (self.list_day or self.day).replace(day=1)


class ClosingStep(models.TextChoices):
    """The steps of closing a month, in order."""

    FIDE_LIST = "fide-list", _("FIDE list imported")
    ANNOUNCED = "announced", _("FIDE list announced")
    FIRST_RATINGS = "first-ratings", _("First ratings determined")
    CASES = "cases", _("Cases decided")
    AUDIT = "audit", _("Audit findings reviewed")
    GAMES = "games", _("Missing results entered")
    PUBLISHED = "published", _("Rating lists published")
    REVISED = "revised", _("Lists revised after corrections")


class Looked(NamedTuple):
    """Result and moment of a look at a step of a month. ``is_done``: something was done for this month."""

    is_done: bool
    text: str


class StepState(NamedTuple):
    """State of one step. ``due``: what waits; None if the user may not see it. ``looked``: None with it.

    ``put_off``: what waits until a day.
    """

    step: ClosingStep
    due: list[Due] | None
    put_off: list[tuple[Due, PutOff]]
    looked: Looked | None


Finder = Callable[[Any, datetime], Iterable[Due]]
"""Function that takes a member of staff and a moment (UTC), and yields what is due."""

DateFinder = Callable[[date, date], Iterable[Dated]]
"""Function that takes the first and last day of a period, and yields the office's dates within it."""

Looker = Callable[[datetime, datetime], Looked]
"""Function that takes the first moment of a month and now (UTC), and says what a step of it has done."""

_LOOKERS: Final[dict[ClosingStep, Looker]] = {}
_FINDERS: Final[list[tuple[Promise, str, Finder, ClosingStep | None]]] = []
_DATE_FINDERS: Final[list[DateFinder]] = []

F = TypeVar("F", bound=Finder)
D = TypeVar("D", bound=DateFinder)
L = TypeVar("L", bound=Looker)


def finds_due(kind: Promise, permission: str, *, step: ClosingStep | None = None) -> Callable[[F], F]:
    """Register a function that finds what is due for users with this permission; "" means everybody.

    ``kind``: what the tasks are about, the heading above them. ``step``: a step of closing a month, which
    is done once the function finds nothing.
    """

    def add(find: F) -> F:
        _FINDERS.append((kind, permission, find, step))
        return find

    return add


def looks_at(step: ClosingStep) -> Callable[[L], L]:
    """Register the function that says what a step has done for a month."""

    def add(look: L) -> L:
        _LOOKERS[step] = look
        return look

    return add


def finds_dates(find: D) -> D:
    """Register a function that finds dates of the public calendar."""
    _DATE_FINDERS.append(find)
    return find


def due_for(user: Any, now: datetime) -> list[Due]:
    """Return everything that waits for this person and isn't put off, room by room."""
    return due_and_put_off(user, now)[0]


def due_and_put_off(user: Any, now: datetime) -> tuple[list[Due], list[tuple[Due, PutOff]]]:
    """Return what is due for this person, and what was put off with who did it."""
    return _told_apart(
        (
            replace(one, kind=str(kind))
            for kind, permission, find, _step in _FINDERS
            if not permission or user.has_perm(permission)
            for one in find(user, now)
        ),
        now,
    )


def _told_apart(due: Iterable[Due], now: datetime) -> tuple[list[Due], list[tuple[Due, PutOff]]]:
    """Tell what is due from what was put off. What waits for one person is never put off."""
    rows = {row.key: row for row in PutOff.objects.at(now.astimezone(UTC).date()).select_related("by")}
    waits: list[Due] = []
    put_off: list[tuple[Due, PutOff]] = []
    for one in due:
        if one.identity in rows and not one.mine:
            put_off.append((one, rows[one.identity]))
        else:
            waits.append(one)
    return waits, put_off


def steps_of_month(user: Any, month: datetime, now: datetime) -> list[StepState]:
    """Return the state of each step of closing a month, as far as this person may see it.

    ``month``: its first moment. A step that waits for nothing is done only if something was done.
    """
    states = []
    for step in ClosingStep:
        finders = [(permission, find) for _kind, permission, find, one in _FINDERS if one == step]
        if not finders:
            continue
        may_see = all(user.has_perm(permission) for permission, _find in finders)
        if not may_see:
            states.append(StepState(step, None, [], None))
            continue
        found = _told_apart((one for _permission, find in finders for one in find(user, now)), now)
        states.append(StepState(step, *found, _LOOKERS[step](month, now)))
    return states


def dates_between(first: date, last: date) -> list[Dated]:
    """Return the public dates between two days, inclusive, in order."""
    found = [one for find in _DATE_FINDERS for one in find(first, last)]
    return sorted(found, key=lambda one: (one.day, one.key))


def coming_dates(today: date) -> list[Dated]:
    """Return the dates that the calendar shows: up to a year ahead."""
    return dates_between(today, today + timedelta(days=366))
