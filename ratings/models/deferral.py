"""What a bulk change of games has touched and has not yet been replayed.

``services.replay.deferred()`` opens a notebook; the game queryset and the receivers write into it. Without
an open one, a bulk change of games is refused: it sends no signals, so no rating would follow it.
"""

from __future__ import annotations

from contextvars import ContextVar
from datetime import datetime

from ratings.rules.time_controls import Category


class Pending:
    """For each category the earliest moment (UTC) from which ratings must be replayed."""

    def __init__(self) -> None:
        self.since: dict[Category, datetime] = {}

    def add(self, category: Category, moment: datetime) -> None:
        """Note that something changed in this category at this moment."""
        known = self.since.get(category)
        if known is None or moment < known:
            self.since[category] = moment


pending: ContextVar[Pending | None] = ContextVar("pending", default=None)
