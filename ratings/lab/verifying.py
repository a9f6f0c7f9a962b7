"""The ledger beside the lab's own lines: do they say the same of every member and event?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from django.db.models import BigIntegerField, Case, F, Value, When
from django.db.models.functions import Cast, Coalesce

from foa.text import points as as_points
from members.models import Member
from ratings.lab.arrays import Array, columns_of, inputs, one_moment
from ratings.lab.engine import LINE, NONE
from ratings.lab.replaying import lines
from ratings.rbb.models.fields import event_id, kind_of
from ratings.rbb.models.ledger import RatingChange
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category

_IN_POINTS = frozenset({"after", "first_opponents", "peak", "before", "change", "opponent_rating"})


@dataclass(slots=True)
class Verified:
    """The number of lines compared, and the first that differs, in words; empty if none does."""

    lines: int
    first: str = ""


def verify(tell: Callable[[int], object] = lambda lines: None) -> Verified:
    """Compare every line of the ledger with the lab's, as of one moment, up to the first that differs."""
    with one_moment():
        data = inputs()
        ledger = _Ledger()
        compared = 0
        for keys, rows, computed in lines(data):
            category, number = np.divmod(rows, max(len(data.members), 1))
            expected = np.column_stack([keys, data.members[number], category + 1, computed])
            stored = ledger.take(len(keys))
            same = stored == expected[: len(stored)]
            if len(stored) < len(keys) or not same.all():
                at = int(np.argmin(same.all(axis=1))) if not same.all() else len(stored)
                found = stored[at] if at < len(stored) else None
                ledger.finish()
                return Verified(compared + at, _told(expected[at], found))
            compared += len(keys)
            tell(compared)
        left = ledger.take(1)
        ledger.finish()
        return Verified(compared, _told(None, left[0]) if len(left) else "")


class _Ledger:
    """The stored lines in order, some at a time."""

    def __init__(self) -> None:
        plain = [F("id"), F("member"), F("category"), *map(_or_none, LINE)]
        self._pieces: Iterator[list[Array]] = columns_of(RatingChange.objects.in_order(), plain)
        self._left = np.empty((0, len(plain)), np.int64)

    def take(self, number: int) -> Array:
        """Return the next lines; fewer at the end."""
        pieces, found = [self._left], len(self._left)
        while found < number and (piece := next(self._pieces, None)) is not None:
            pieces.append(np.stack(piece, axis=1))
            found += len(pieces[-1])
        rows = np.concatenate(pieces)
        self._left = rows[number:]
        return rows[:number]

    def finish(self) -> None:
        """Read the rest: while a COPY is under way, PostgreSQL takes no other statement."""
        for _piece in self._pieces:
            pass


def _or_none(name: str) -> Case | Coalesce:
    if name == "previously_unrated":
        return Case(When(previously_unrated=True, then=Value(1)), default=Value(0))
    return Coalesce(Cast(F(name), BigIntegerField()), Value(NONE, BigIntegerField()))


def _told(computed: Array | None, stored: Array | None) -> str:
    """Say which line differs, and how."""
    row: Array = computed if computed is not None else stored
    if stored is not None and computed is not None and stored[0] != computed[0]:
        other = f"; it has line {stored[0]} there"
        stored = None
    else:
        other = ""
    key, member, category = (int(one) for one in row[:3])
    who = Member.objects.filter(pk=member).values_list("username", flat=True).first() or f"member {member}"
    where = f"Line {key} ({kind_of(key).slug} {event_id(key)}, {who}, {Category(category).slug})"
    if stored is None:
        return f"{where} isn’t in the ledger{other}."
    if computed is None:
        return f"{where} is in the ledger, but its event doesn’t count."
    names = ("key", "member", "category", *LINE)
    told = [
        f"{name} is {_shown(name, there)}, should be {_shown(name, here)}"
        for name, there, here in zip(names, stored, computed, strict=True)
        if there != here
    ]
    return f"{where}: {', '.join(told)}."


def _shown(name: str, value: int) -> str:
    if value == NONE:
        return "empty"
    return as_points(from_hundredths(int(value))) if name in _IN_POINTS else str(value)  # type: ignore[arg-type]
