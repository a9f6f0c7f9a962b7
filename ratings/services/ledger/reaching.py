"""Which published lists a replay reaches: how many of their lines the ledger says otherwise since."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
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

_ID: Final = itemgetter(LEDGER_COLUMNS.index("id"))
_MEMBER: Final = itemgetter(LEDGER_COLUMNS.index("member_id"))
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

    def take(self, rows: list[Row], was: Mapping[int, Row | None], gone: Collection[Row]) -> None:
        """Follow lines in their order: ``was`` has those that are new or other ones, ``gone`` is no more."""
        if not self.ahead:
            return
        if not was and not gone and not self.otherwise:
            if rows:
                self._pass(_MOMENT(rows[-1]))
            return
        gone_ids = {_ID(row) for row in gone}
        for row in sorted([*rows, *gone], key=lambda row: (_MOMENT(row), _ID(row))):
            self._pass(_MOMENT(row))
            key, member = _ID(row), _MEMBER(row)
            old = was.get(key)
            if key in gone_ids or (key in was and old is None):
                differs = _BEFORE(row) != _STANDING(row)[0] or _REASON(row) in COUNTED
                differs = differs or member in self.otherwise
            else:
                differs = old is not None and _STANDING(old) != _STANDING(row)
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
