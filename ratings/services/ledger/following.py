"""What a change moves, and nothing else.

Table 4.2 has steps of some seven points, so a shift of one member’s rating seldom changes what the opponents
gain or lose: it goes along in the member’s own later lines and dies out elsewhere. So the events that changed
are stepped over, and then, in the order of events, those of everybody whose standing differs from what the
ledger says, until it no longer does. For everybody else the ledger is right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from heapq import heapify, heappop, heappush
from typing import Final

from django.db import connections

from ratings.models.deferral import Touched
from ratings.models.keys import Kind, event_key, is_black, rating_id
from ratings.models.ledger import Rating, RatingChange
from ratings.office import bulk
from ratings.office.bulk import Moment, Row
from ratings.rules.rbb.steps import STANDING, UNRATED, Line, Reason, stood_before
from ratings.rules.time_controls import Category
from ratings.services.ledger import events
from ratings.services.ledger.events import (
    LEDGER_COLUMNS,
    RATING_COLUMNS,
    Event,
    GameEvent,
    LedgerRow,
    RatingRow,
)
from ratings.services.ledger.reaching import Difference

STATEMENT: Final = 25
"""A statement costs as much as so many events of a replay in order (docs/performance.md)."""

LINE: Final = 3
"""Each line that it reads, with what follows from it, costs as much as so many."""

SHARE: Final = 0.15
"""What following may cost beside what it saves, as a part of the replay in order of all that came since."""

_FREE: Final = 2_000
"""As much is cheaper than finding out what it saves."""

_PARTS: Final = 8
_LINES_EACH: Final = 64
_ASKED_AT_ONCE: Final = 500
_FIRST_LINES: Final = 32
_MOST_LINES: Final = 256
_FIRST_STANDING: Final = LEDGER_COLUMNS.index("after")
_STANDING: Final = LEDGER_COLUMNS[_FIRST_STANDING : _FIRST_STANDING + STANDING]
_LINE: Final = len(LEDGER_COLUMNS)
_AT: Final = LEDGER_COLUMNS.index("occurred_at")

Place = tuple[Moment, int]
"""Where an event is in the order of events: its moment and the key of its first row."""


@dataclass(slots=True)
class _Occasion:
    """What takes place somewhere: the event as the inputs say, and the lines that the ledger has there."""

    event: Event | None = None
    lines: dict[int, LedgerRow] = field(default_factory=dict)
    """By member."""
    before: dict[int, Line] = field(default_factory=dict)
    """Where members stood before it in the ledger, as far as that was read."""


@dataclass(slots=True)
class _Differing:
    """A member whose standing is not what the ledger says."""

    standing: Line
    in_ledger: Line
    read: Place
    """Up to here the member’s lines have been read."""
    more: bool = False
    """Whether the ledger has lines behind those."""
    ahead: int = _FIRST_LINES
    """How many are read next: a shift often lasts, but need not."""


class Following:
    """The events of one category that changes of its inputs concern, in their order.

    Reads only. ``rows``: their lines as they should be; ``stood``: as they stood. ``steps``: how many events
    were stepped over. ``left_at``: the moment from which on a replay in order is cheaper, if there is one:
    all events before it were taken, and none at it. ``displaced``: by their keys, lines of events that take
    place at another moment now.
    """

    def __init__(self, using: str, category: Category, touched: Touched, stood: list[LedgerRow]) -> None:
        self.using = using
        self.connection = connections[using]
        self.category = category
        self.since = touched.since
        self.keys = touched.keys or set()
        self.in_ledger = stood
        self.lines_ahead = bulk.prepared(
            self.connection,
            _lines_ahead(),
            ("bigint", "smallint", "timestamptz", "timestamptz", "bigint", "bigint"),
        )
        self.begin()

    def begin(self) -> None:
        """Begin with what has changed."""
        self.rows: list[Row] = []
        self.stood: list[Row] = []
        self.differences: list[Difference] = []
        self.steps = 0
        self.taken: Place | None = None
        self.in_between = False
        self.left_at: Moment | None = None
        self.cost = 0
        self.allowed: float = _FREE
        self.suffix: tuple[datetime, timedelta, list[float]] | None = None
        self.differing: dict[int, _Differing] = {}
        self.occasions: dict[Place, _Occasion] = {}
        self.moments: dict[int, Moment] = {}
        for event in events.events(self.using, self.category, keys=self.keys):
            moment = self.moments[events.key_of(event)] = events.moment_of(event)
            self._occasion(moment, events.key_of(event)).event = event
        self.displaced: dict[int, Row] = {}
        for row in self.in_ledger:
            key = event_key(row.id)
            self._occasion(row.occurred_at, key).lines[row.member_id] = row
            if self.moments.get(key, row.occurred_at) != row.occurred_at:
                self.displaced[row.id] = row
        self.heap = list(self.occasions)
        heapify(self.heap)
        self.newest: dict[int, Line] = {}
        self.ends = self._ends(
            member
            for place, occasion in self.occasions.items()
            for member in self._members(place)
            if member not in occasion.lines
        )
        first = [
            (member, place)
            for place in self.heap
            for member in self._members(place)
            if not self._is_newest(member, place)
        ]
        for (member, place), line in self._read_before(first).items():
            self.occasions[place].before[member] = line

    def _is_newest(self, member: int, place: Place) -> bool:
        """Whether the ledger has nothing of a member from here on: their rating tells where they stood."""
        if member not in self.ends:
            return False
        end = self.ends[member]
        if end is not None and end >= place:
            return False
        self.occasions[place].before[member] = self.newest.get(member, UNRATED)
        return True

    def _occasion(self, moment: Moment, key: int) -> _Occasion:
        return self.occasions.setdefault((moment, key), _Occasion())

    def advance(self, steps: int) -> bool:
        """Take events, at most about so many steps; whether nothing is left to take."""
        until = self.steps + steps
        while self.heap:
            if self.steps >= until:
                return False
            place = heappop(self.heap)
            begins_a_moment = self.taken is None or place[0] != self.taken[0]
            if self.cost > self.allowed and begins_a_moment and self._is_dearer(place[0]):
                self.left_at = place[0]
                self.heap.clear()
                return True
            self._take(place)
        return True

    def catch_up(self) -> None:
        """Once nobody else changes ratings of the category: take in what was appended while this read."""
        # An event that was appended may lie before one that was taken: before a new one of its members, or
        # among what others played. Then begin again, now that nothing is appended any more.
        in_between = self.in_between or self._ends(self.ends) != self.ends
        appended = {
            member: end
            for member, end in self._ends(self.differing).items()
            if end is not None and end > self.differing[member].read and not self.differing[member].more
        }
        if self.left_at is not None:
            in_between |= any(end < (self.left_at,) for end in appended.values())
        elif not in_between:
            for member in appended:
                self._read_ahead(member, self.differing[member])
            in_between = bool(self.heap) and self.taken is not None and self.heap[0] < self.taken
        if in_between:
            self.begin()

    def take(self) -> tuple[list[Row], list[Row], list[Difference]]:
        """The lines as they should be and as they stood, and whose standing differs; each given once."""
        taken = self.rows, self.stood, self.differences
        self.rows, self.stood, self.differences = [], [], []
        return taken

    def _members(self, place: Place) -> Collection[int]:
        """Who takes part in an event, or has a line of it."""
        occasion = self.occasions[place]
        event = occasion.event
        return dict.fromkeys((*occasion.lines, *(events.members_of(event) if event else ())))

    def _take(self, place: Place) -> None:
        members = self._members(place)
        occasion = self.occasions.pop(place)
        self.taken = place
        if place[1] not in self.keys and self.differing.keys().isdisjoint(members):
            return  # read ahead for somebody who stands as the ledger says since
        self.steps += 1
        standings: dict[int, Line] = {}
        in_ledger: dict[int, Line] = {}
        for member in members:
            known = self.differing.get(member)
            if known is not None:
                standings[member], in_ledger[member] = known.standing, known.in_ledger
            else:
                before = occasion.before.get(member)
                if before is None:
                    before = self._read_before([(member, place)])[member, place]
                standings[member] = in_ledger[member] = before
        if occasion.event is not None:
            self.rows += events.ledger_rows(self.category, (occasion.event,), standings)
        self.stood += occasion.lines.values()
        for member in members:
            line = occasion.lines.get(member)
            self._compare(member, place, standings[member], line.standing if line else in_ledger[member])

    def _compare(self, member: int, place: Place, standing: Line, in_ledger: Line) -> None:
        """Follow a member while their standing differs from the ledger."""
        self.differences.append((place[0], member, in_ledger[:2], standing[:2]))
        known = self.differing.get(member)
        if standing[:STANDING] == in_ledger[:STANDING]:
            if known is not None:
                del self.differing[member]
            return
        if known is None:
            known = self.differing[member] = _Differing(standing, in_ledger, place)
            end = self.ends.get(member)
            if member not in self.ends or (end is not None and end > place):
                self._read_ahead(member, known)
            return
        known.standing, known.in_ledger = standing, in_ledger
        if known.more and place >= known.read:
            self._read_ahead(member, known)

    def _read_ahead(self, member: int, known: _Differing) -> None:
        """Put the next events of a member, as the ledger has them, before those that are to be taken."""
        moment, key = known.read
        with self.connection.cursor() as cursor:
            cursor.execute(
                self.lines_ahead, (member, int(self.category), moment, moment, key + 1, known.ahead)
            )
            found = cursor.fetchall()
        self.cost += STATEMENT + LINE * len(found)
        known.more = len(found) == known.ahead
        known.ahead = min(2 * known.ahead, _MOST_LINES)
        others = []
        as_stored = bulk.parser(self.connection)
        for row in found:
            own = LedgerRow._make((*row[:_AT], as_stored(row[_AT]), *row[_AT + 1 : _LINE]))
            known.read = place = own.occurred_at, event_key(own.id)
            if place[1] in self.keys or place in self.occasions:
                continue
            occasion = self.occasions[place] = _Occasion(lines={member: own})
            heappush(self.heap, place)
            theirs = row[_LINE : 2 * _LINE]
            if own.game_id is None or own.opponent_id is None or theirs[0] is None:
                # No game, or one that the ledger has by half: the inputs say what it is.
                others.append(place[1])
                continue
            opponents = LedgerRow._make((*theirs[:_AT], as_stored(theirs[_AT]), *theirs[_AT + 1 :]))
            white, black = (opponents, own) if is_black(own.id) else (own, opponents)
            occasion.event = GameEvent(
                own.occurred_at, int(Kind.GAME), own.game_id, white.member_id, black.member_id, row[-1]
            )
            occasion.lines[own.opponent_id] = opponents
            other = self.differing.get(own.opponent_id)
            if other is not None and not other.more and other.read < place:
                self.in_between = True  # appended since the opponent’s lines were read
            # What the line doesn't tell was looked for. Each line has a number of games: without one, there
            # was no line before.
            told = stood_before(opponents.line)
            before = row[2 * _LINE : -1]
            occasion.before[own.opponent_id] = told or (UNRATED if before[1] is None else Line(*before))
        if others:
            for event in events.events(self.using, self.category, keys=others):
                self._occasion(events.moment_of(event), events.key_of(event)).event = event

    def _read_before(self, asked: Sequence[tuple[int, Place]]) -> dict[tuple[int, Place], Line]:
        """Where each of these members stood before an event, as the ledger says."""
        stood: dict[tuple[int, Place], Line] = {}
        for start in range(0, len(asked), _ASKED_AT_ONCE):
            some = asked[start : start + _ASKED_AT_ONCE]
            values = ", ".join(["(%s, %s, %s, %s)"] * len(some))
            parameters = [
                value for number, (member, place) in enumerate(some) for value in (number, member, *place)
            ]
            with self.connection.cursor() as cursor:
                cursor.execute(_LAST_BEFORE_EACH.format(values=values), [*parameters, int(self.category)])
                ids = dict(cursor.fetchall())
            found = [row_id for row_id in ids.values() if row_id is not None]
            rows = bulk.fetch_rows(self.connection, RatingChange, ("id", *_STANDING), found)
            lines = {row_id: Line(*standing) for row_id, *standing in rows}
            stood.update((one, lines.get(ids[number], UNRATED)) for number, one in enumerate(some))
        self.cost += STATEMENT
        return stood

    def _ends(self, members: Iterable[int]) -> dict[int, Place | None]:
        """Where each of these members has the last event."""
        ends: dict[int, Place | None] = dict.fromkeys(members)
        for some in bulk.batches(list(ends)):
            ids = [rating_id(member, self.category) for member in some]
            for row in map(RatingRow._make, bulk.fetch_rows(self.connection, Rating, RATING_COLUMNS, ids)):
                ends[row.member_id] = row.last_event_at, event_key(row.last_change_id)
                self.newest[row.member_id] = row.standing
        return ends

    def _is_dearer(self, moment: Moment) -> bool:
        """Whether taking the rest in order from this moment is cheaper. What was followed is not lost."""
        if self.suffix is None:
            self.suffix = self._suffix(self.since or bulk.as_moment(moment))
        begins, part, found = self.suffix
        whole, within = divmod((bulk.as_moment(moment) - begins) / part, 1) if part else (0, 0)
        passed = sum(found[: int(whole)]) + within * sum(found[int(whole) : int(whole) + 1])
        self.allowed = passed + SHARE * sum(found)
        return self.cost > self.allowed

    def _suffix(self, begins: datetime) -> tuple[datetime, timedelta, list[float]]:
        """From where on the ledger goes on, in parts of which length, and how many events each part has.

        To count them would cost as much as following. The lines that come next in the middle of a part tell.
        """
        lines = RatingChange.objects.using(self.using).in_order().values_list("occurred_at", "category")
        last = lines.last()
        if last is None or last[0] <= begins:
            return begins, timedelta(), []
        part = (last[0] - begins) / _PARTS
        found = []
        for middle in (begins + (number + 0.5) * part for number in range(_PARTS)):
            some = list(lines.filter(occurred_at__range=(middle, middle + part / 2))[:_LINES_EACH])
            ours = [category for _, category in some].count(self.category)
            span = some[-1][0] - middle if len(some) == _LINES_EACH else part / 2
            # Two lines are an event, nearly always. Of many at the very same moment there may be no more.
            found.append(ours / 2 * (part / (span or part / 2)))
        return begins, part, found


def _selected(table: str, columns: Iterable[str]) -> Iterator[str]:
    """These columns of a table; moments as text, as ``office.bulk`` reads them."""
    for column in columns:
        name = f"{table}.{column}"
        yield f"CAST({name} AS text)" if column == "occurred_at" else name


@cache
def _lines_ahead() -> str:
    """The next lines of a member with those of the opponents and the results.

    And where the opponents stood before, unless their lines tell it (``rules.rbb.steps.stood_before``).
    """
    selected = [
        *_selected("own", LEDGER_COLUMNS),
        *_selected("opponents", LEDGER_COLUMNS),
        *_selected("before", _STANDING),
        "game.result",
    ]
    return f"""
        SELECT {", ".join(selected)}
        FROM (
            SELECT line.* FROM ratings_ratingchange line
            WHERE line.member_id = %s AND line.category = %s
            AND line.occurred_at >= %s AND (line.occurred_at > %s OR line.id > %s)
            ORDER BY line.occurred_at, line.id LIMIT %s
        ) own
        LEFT JOIN ratings_ratingchange opponents ON opponents.id = own.id + 1 - 2 * (own.id %% 2)
        LEFT JOIN ratings_ratingchange before ON before.id = CASE
            WHEN opponents.reason = {Reason.RATED:d} AND opponents.peak > opponents.after THEN NULL
            ELSE (
                SELECT earlier.id FROM ratings_ratingchange earlier
                WHERE earlier.member_id = own.opponent_id AND earlier.category = own.category
                AND earlier.occurred_at <= own.occurred_at
                AND (earlier.occurred_at < own.occurred_at OR earlier.id < own.id - own.id %% 2)
                ORDER BY earlier.occurred_at DESC, earlier.id DESC LIMIT 1
            ) END
        LEFT JOIN ratings_game game ON game.id = own.game_id
        ORDER BY own.occurred_at, own.id
        """  # noqa: S608  names, not values


_LAST_BEFORE_EACH: Final = """
    WITH asked (number, member_id, occurred_at, id) AS (VALUES {values})
    SELECT asked.number, (
        SELECT line.id FROM ratings_ratingchange line
        WHERE line.member_id = asked.member_id AND line.category = %s
        AND line.occurred_at <= asked.occurred_at
        AND (line.occurred_at < asked.occurred_at OR line.id < asked.id)
        ORDER BY line.occurred_at DESC, line.id DESC LIMIT 1
    ) FROM asked
    """
