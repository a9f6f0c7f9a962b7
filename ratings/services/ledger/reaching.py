"""Which published lists a replay reaches: how many of their lines the ledger says otherwise since."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from operator import itemgetter
from typing import Final

from django.db import connections

from ratings.models.lists import RatingList
from ratings.office import bulk
from ratings.office.bulk import Row
from ratings.rules.time_controls import Category
from ratings.services.ledger.activity import COUNTED
from ratings.services.ledger.events import LEDGER_COLUMNS

_PLACE: Final = itemgetter(*map(LEDGER_COLUMNS.index, ("occurred_at", "id", "member_id")))
_MOMENT: Final = itemgetter(LEDGER_COLUMNS.index("occurred_at"))
_STANDING: Final = itemgetter(LEDGER_COLUMNS.index("after"), LEDGER_COLUMNS.index("games"))
_BEFORE: Final = itemgetter(LEDGER_COLUMNS.index("before"))
_REASON: Final = itemgetter(LEDGER_COLUMNS.index("reason"))


class ListsReached:
    """The monthly lists of a category from a moment on, each in its latest revision.

    ``last``: the moment of the last of them, as stored; None without any. ``found``: by the key of a list how
    many members stand otherwise at its moment than before the replay.
    """

    def __init__(self, using: str, category: Category, since: datetime | None) -> None:
        lists = RatingList.objects.using(using).showing(category, since)
        latest: dict[datetime, int] = {}
        for pk, moment in lists.values_list("pk", "as_of"):
            latest.setdefault(moment, pk)
        stored = [(bulk.as_stored(connections[using], moment), pk) for moment, pk in sorted(latest.items())]
        self.ahead = deque(stored)
        self.last = stored[-1][0] if stored else None
        self.otherwise: set[int] = set()
        self.found: dict[int, int] = {}

    def take(self, rows: list[Row], stood: list[Row], differ: bool) -> None:
        """Follow lines in their order, as they are and as they stood; ``differ``: some of these do."""
        if not self.ahead:
            return
        if not differ and not self.otherwise:
            if rows:
                self._pass(_MOMENT(rows[-1]))
            return
        new = {_PLACE(row): row for row in rows}
        old = {_PLACE(row): row for row in stood}
        for place in sorted({*new, *old}):
            self._pass(place[0])
            member = place[-1]
            if place in new and place in old:
                differs = _STANDING(old[place]) != _STANDING(new[place])
            else:  # came or went here
                one = new.get(place) or old[place]
                differs = _BEFORE(one) != _STANDING(one)[0] or _REASON(one) in COUNTED
                differs = differs or member in self.otherwise
            (self.otherwise.add if differs else self.otherwise.discard)(member)

    def finish(self) -> dict[int, int]:
        """After the last line: the lists behind it show what stands then."""
        while self.ahead:
            self._note()
        return self.found

    def _pass(self, moment: bulk.Moment) -> None:
        """A list shows what happened up to its moment, and at it."""
        while self.ahead and self.ahead[0][0] < moment:  # type: ignore[operator]  # both as this database stores
            self._note()

    def _note(self) -> None:
        _moment, pk = self.ahead.popleft()
        if self.otherwise:
            self.found[pk] = len(self.otherwise)
