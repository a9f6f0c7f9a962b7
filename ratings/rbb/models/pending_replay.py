"""Changes of inputs that haven't been replayed yet.

``ledger.replay.deferred()`` opens a notebook, into which the game queryset and the receivers write.
Without one, a bulk change of games is refused: it sends no signals, so ratings wouldn't follow it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from ratings.rules.time_controls import Category

MANY: Final = 10_000
"""Maximum number of changed events kept. Beyond it, everything since the first change is replayed."""


class Place(NamedTuple):
    """The place of an input. ``key``: the key of its first row in the ledger."""

    category: Category
    moment: datetime
    key: int


@dataclass(slots=True)
class Touched:
    """The scope of a replay in one category.

    ``since``: the earliest moment (UTC) at which something changed; None means the beginning. ``keys``: the
    events added, removed or changed, by the keys of their first rows; None means anything since that moment.
    """

    since: datetime | None
    keys: set[int] | None = field(default_factory=set)


class Pending(dict[Category, Touched]):
    """Changes to be replayed, by category."""

    @classmethod
    def of(cls, places: Iterable[Place]) -> Pending:
        """Return the changes to be replayed for these places."""
        notebook = cls()
        for place in places:
            notebook.add(*place)
        return notebook

    def add(self, category: Category, moment: datetime, key: int | None = None) -> None:
        """Note a change of this event at this moment; without a key, of any event."""
        touched = self.setdefault(category, Touched(moment))
        if touched.since is not None:
            touched.since = min(touched.since, moment)
        if touched.keys is None:
            return
        if key is None or len(touched.keys) >= MANY:
            touched.keys = None
        else:
            touched.keys.add(key)


pending: ContextVar[Pending | None] = ContextVar("pending", default=None)
