"""Lines of games that a replay changes behind a published list, as they were on it.

The list itself keeps its figures. The games behind them are kept when the ledger is about to forget them, so
that the next list can tell what counted on the previous one (``ratings.rbb.lists.freezing``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from operator import itemgetter
from typing import Final

from ratings.office import bulk
from ratings.office.bulk import Moment, Row
from ratings.rbb.ledger.events import LEDGER_COLUMNS
from ratings.rbb.models.keys import EventType, change_id
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.recalculations import LateLine
from ratings.rules.time_controls import Category

_FIRST_GAME: Final = change_id(EventType.GAME, 0)
_NEW: Final = (None, None, None)
"""Values kept for a line that didn't exist."""

_ID: Final = itemgetter(LEDGER_COLUMNS.index("id"))
_CATEGORY: Final = itemgetter(LEDGER_COLUMNS.index("category"))
_MOMENT: Final = itemgetter(LEDGER_COLUMNS.index("occurred_at"))
_AS_IT_STOOD: Final = itemgetter(*map(LEDGER_COLUMNS.index, ("member_id", "occurred_at", "reason")))


class LateLines:
    """The lines of games that a replay of one category changes behind its last published list.

    ``last``: the moment of that list, as stored. ``lost``: for each category, lines overwritten by another
    category's replay because their event has moved there. ``overwritten``: such lines of this category, by
    their keys.
    """

    def __init__(self, category: Category, last: Moment | None, lost: dict[int, list[Row]]) -> None:
        self.last = last
        self.lost = lost
        self.found: list[Row] = []
        self.overwritten = {_ID(row): row for row in lost.pop(int(category), ())}
        for row in self.overwritten.values():
            self._keep(row)

    def take(
        self, changed: Collection[Row], was: Mapping[int, Row | None], gone: Collection[Row], highest: int
    ) -> None:
        """Follow a replay before it writes; ``was`` has the old lines in the places of ``changed``.

        ``highest``: no line has a higher key.
        """
        for row in gone:
            self._keep(row)
        # If an event has moved, its line may be at another moment or in another category.
        keys = [key for key in map(_ID, changed) if was[key] is None and key <= highest]
        elsewhere = {}
        if keys:
            rows = bulk.fetch_rows(RatingChange, LEDGER_COLUMNS, keys)
            elsewhere = dict(zip(map(_ID, rows), rows, strict=True))
        for row in changed:
            old = was[_ID(row)] or elsewhere.get(_ID(row))
            if old is not None and _CATEGORY(old) != _CATEGORY(row):
                self.lost.setdefault(_CATEGORY(old), []).append(old)
                old = None
            if old is None:
                if _ID(row) >= _FIRST_GAME and self._behind(_MOMENT(row)):
                    self.found.append((_ID(row), *_NEW))
            elif _AS_IT_STOOD(old) != _AS_IT_STOOD(row):
                self._keep(old, _MOMENT(row))

    def write(self, recalculation: int) -> None:
        """Store the lines found."""
        bulk.insert_rows(
            LateLine,
            ("recalculation_id", "line", "member_id", "occurred_at", "reason"),
            [(recalculation, *line) for line in self.found],
        )

    def _keep(self, old: Row, moment: Moment | None = None) -> None:
        if _ID(old) < _FIRST_GAME:
            return
        if self._behind(_MOMENT(old)) or (moment is not None and self._behind(moment)):
            self.found.append((_ID(old), *_AS_IT_STOOD(old)))

    def _behind(self, moment: Moment) -> bool:
        return self.last is not None and moment <= self.last  # type: ignore[operator]  # both as stored
