"""Published lists affected by a replay, and how many of their lines then differ from the ledger."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from operator import itemgetter
from typing import Final

from ratings.office import bulk
from ratings.office.bulk import Moment, Row
from ratings.rbb.ledger.events import LEDGER_COLUMNS
from ratings.rbb.models.lists import RatingList
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

_PLACE: Final = itemgetter(*map(LEDGER_COLUMNS.index, ("occurred_at", "id", "member_id")))
_MOMENT: Final = itemgetter(LEDGER_COLUMNS.index("occurred_at"))
_STANDING: Final = itemgetter(LEDGER_COLUMNS.index("after"), LEDGER_COLUMNS.index("games"))

Standing = tuple[Hundredths | None, int]
"""A member's rating and number of games, as shown on a list."""

Difference = tuple[Moment, int, Standing, Standing]
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
        self.otherwise: dict[int, Standing] = {}
        self.found: dict[int, int] = {}

    def take(self, rows: list[Row], stood: list[Row], before: Mapping[int, Standing], differ: bool) -> None:
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
            if standing == in_ledger:
                self.otherwise.pop(member, None)
            else:
                self.otherwise[member] = in_ledger

    def _differences(
        self, rows: list[Row], stood: list[Row], before: Mapping[int, Standing]
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
