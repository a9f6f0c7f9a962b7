"""Published lists that a replay reaches: how many lines differ, and games behind a list as they were."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from operator import itemgetter
from typing import Final

from ratings.office import bulk
from ratings.office.bulk import Moment, Row
from ratings.rbb.ledger.events import LEDGER_COLUMNS
from ratings.rbb.models.fields import EventType, change_id
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.lists import RatingList
from ratings.rbb.models.recalculations import LateLine
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

_PLACE: Final = itemgetter(*map(LEDGER_COLUMNS.index, ("occurred_at", "id", "member_id")))
_MOMENT: Final = itemgetter(LEDGER_COLUMNS.index("occurred_at"))
_STANDING: Final = itemgetter(LEDGER_COLUMNS.index("after"), LEDGER_COLUMNS.index("games"))

ListedStanding = tuple[Hundredths | None, int]
"""A member's rating and number of games, as shown on a list."""

Difference = tuple[Moment, int, ListedStanding, ListedStanding]
"""A moment, a member, and that member's standing after it in the old and the new ledger."""


class ListsReached:
    """The monthly lists of a category from a moment on, each in its latest revision.

    ``last``: the moment of the last one, as stored; None if there is none. ``otherwise``: the members whose
    standing differs at this point of the replay, with their old one. ``found``: by a list's key, how many
    differed at its moment.
    """

    def __init__(self, category: Category, since: datetime | None) -> None:
        lists = RatingList.objects.showing(category, since)
        latest: dict[datetime, int] = {}
        for pk, moment in lists.values_list("pk", "as_of"):
            latest.setdefault(moment, pk)
        stored = [(bulk.as_stored(moment), pk) for moment, pk in sorted(latest.items())]
        self.ahead = deque(stored)
        self.last = stored[-1][0] if stored else None
        self.otherwise: dict[int, ListedStanding] = {}
        self.found: dict[int, int] = {}

    def take(
        self, rows: list[Row], stood: list[Row], before: Mapping[int, ListedStanding], differ: bool
    ) -> None:
        """Follow all new and old lines of a period; ``differ``: some of them do.

        ``before``: the members' standings before these lines.
        """
        if not self.ahead:
            return
        if differ or self.otherwise:
            self.note(self._differences(rows, stood, before))
        elif rows:
            self._pass(_MOMENT(rows[-1]))

    def note(self, differences: Iterable[Difference]) -> None:
        """Follow differing standings, in the order of events."""
        for moment, member, in_ledger, standing in differences:
            self._pass(moment)
            # An unrated member has no line on a list, however many results they have.
            if standing == in_ledger or standing[0] is in_ledger[0] is None:
                self.otherwise.pop(member, None)
            else:
                self.otherwise[member] = in_ledger

    def _differences(
        self, rows: list[Row], stood: list[Row], before: Mapping[int, ListedStanding]
    ) -> Iterator[Difference]:
        new = {_PLACE(row): _STANDING(row) for row in rows}
        old = {_PLACE(row): _STANDING(row) for row in stood}
        stands = dict(before)
        in_ledger = {**before, **self.otherwise}
        for place in sorted({*new, *old}):
            moment, _key, member = place
            if place in new:
                stands[member] = new[place]
            if place in old:
                in_ledger[member] = old[place]
            yield moment, member, in_ledger[member], stands[member]

    def finish(self) -> dict[int, int]:
        """Finish after the last line: later lists show the final standings."""
        while self.ahead:
            self._note()
        return self.found

    def _pass(self, moment: bulk.Moment) -> None:
        """Pass the lists before this moment; a list includes events at its own moment."""
        while self.ahead and self.ahead[0][0] < moment:  # type: ignore[operator]  # both as this database stores
            self._note()

    def _note(self) -> None:
        _moment, pk = self.ahead.popleft()
        if self.otherwise:
            self.found[pk] = len(self.otherwise)


_FIRST_GAME: Final = change_id(EventType.GAME, 0)
_NEW: Final = (None, None, None)
"""Values kept for a line that didn't exist."""

_ID: Final = itemgetter(LEDGER_COLUMNS.index("id"))
_CATEGORY: Final = itemgetter(LEDGER_COLUMNS.index("category"))
_MOMENT_OF_LINE: Final = itemgetter(LEDGER_COLUMNS.index("occurred_at"))
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
                if _ID(row) >= _FIRST_GAME and self._behind(_MOMENT_OF_LINE(row)):
                    self.found.append((_ID(row), *_NEW))
            elif _AS_IT_STOOD(old) != _AS_IT_STOOD(row):
                self._keep(old, _MOMENT_OF_LINE(row))

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
        if self._behind(_MOMENT_OF_LINE(old)) or (moment is not None and self._behind(moment)):
            self.found.append((_ID(old), *_AS_IT_STOOD(old)))

    def _behind(self, moment: Moment) -> bool:
        return self.last is not None and moment <= self.last  # type: ignore[operator]  # both as stored
