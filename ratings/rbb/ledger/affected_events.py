"""AffectedEvents a change: replay only the events that it affects.

Table 4.2 has steps of some seven points, so a shift of one member’s rating seldom changes what the opponents
gain or lose: it continues in the member’s own later lines and dies out elsewhere. So the changed events are
stepped over first, and then, in the order of events, those of every member whose standing differs from the
ledger, until it no longer does. For everybody else the ledger is right.

Without this every replay would take all later events in order: the correction of a game one month old would
cost 4.6 times as much, and that of one half a year old 13 times as much.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from heapq import heapify, heappop, heappush
from typing import Final

from django.db import connection

from ratings.office import bulk
from ratings.office.bulk import Moment, Row
from ratings.rbb.ledger import events
from ratings.rbb.ledger.events import LEDGER_COLUMNS, RATING_COLUMNS, Event, GameEvent, LedgerRow, RatingRow
from ratings.rbb.ledger.lists_reached import Difference
from ratings.rbb.models.fields import EventType, event_key, is_black, rating_id, tie_rank_of
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rbb.models.pending_replay import Touched
from ratings.rules.rbb.editions import Editions
from ratings.rules.rbb.rating import STANDING, UNRATED, LedgerLine, Reason, stood_before
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints

STATEMENT: Final = 25
"""Cost of a statement, in events replayed in order (docs/performance.md)."""

LINE: Final = 1
"""Cost of each line read, in replayed events."""

STEP: Final = 2
"""Cost of one affected event, with the lines it writes, in replayed events."""

SHARE: Final = 0.15
"""Maximum cost of finding the affected events, beyond what that saves, as a share of the cost of replaying
all later events in order."""

AT_MOST: Final = 20_000
"""Maximum of that cost: reading as many lines in vain takes half a second."""

_FREE: Final = 2_000
"""Cost below which it would be more expensive to find out the savings."""

_PARTS: Final = 8
_LINES_EACH: Final = 64
_ASKED_AT_ONCE: Final = 500
_TOGETHER: Final = 16
"""Maximum number of members whose next lines are read together."""

_GAME: Final = int(EventType.GAME)
_RESULT_OF_BLACK: Final[dict[HalfPoints | None, str]] = {LOSS: "1-0", DRAW: "1/2-1/2", WIN: "0-1"}


class AffectedEvents:
    """The events of one category affected by changes of its inputs, in order.

    It only reads. ``rows``: the lines as they should be; ``stood``: as they were. ``steps``: number of events
    stepped over. ``left_at``: the moment from which a replay in order is cheaper, if any: all earlier events
    were taken, and none at this moment. ``displaced``: lines, by key, of events that now take place at
    another moment.
    """

    def __init__(
        self, category: Category, touched: Touched, stood: list[LedgerRow], editions: Editions
    ) -> None:
        self.category = category
        self.editions = editions
        self.since = touched.since
        self.keys = touched.keys or set()
        self.in_ledger = stood
        self.lines_ahead = bulk.prepared(
            lines_ahead(connection.vendor),
            ("bigint[]", "timestamptz[]", "bigint[]", "smallint"),
        )
        self.begin()

    def begin(self) -> None:
        """Start with the changed events."""
        self.rows: list[Row] = []
        self.stood: list[Row] = []
        self.differences: list[Difference] = []
        self.steps = 0
        self.taken: OrderKey | None = None
        self.in_between = False
        self.left_at: Moment | None = None
        self.cost = 0
        self.allowed: float = _FREE
        self.suffix: tuple[datetime, timedelta, list[float]] | None = None
        # Members whose standing differs from the ledger: their standing, and that in the ledger.
        self.differing: dict[int, tuple[LedgerLine, Row]] = {}
        self.readings: dict[int, Reading] = {}
        # Places after which a member will probably differ; their standing then, and that in the ledger.
        self.foreseen: list[tuple[OrderKey, int]] = []
        self.foreseen_standings: dict[tuple[OrderKey, int], tuple[LedgerLine, Row]] = {}
        self.occasions: dict[OrderKey, Occasion] = {}
        self.moments: dict[int, Moment] = {}
        for event in events.events(self.category, keys=self.keys):
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
        self.newest: dict[int, LedgerLine] = {}
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

    def _is_newest(self, member: int, place: OrderKey) -> bool:
        """Return whether the ledger has no lines of a member from here on: their rating is their standing."""
        if member not in self.ends:
            return False
        end = self.ends[member]
        if end is not None and end >= place:
            return False
        self.occasions[place].before[member] = self.newest.get(member, UNRATED)
        return True

    def _occasion(self, moment: Moment, key: int) -> Occasion:
        return self.occasions.setdefault((moment, key), Occasion())

    def advance(self, steps: int) -> bool:
        """Take about this many events; return whether none are left."""
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
        """Include lines appended while reading. The category must be locked against other changes."""
        # An appended event may come before one that was already taken: before a new event of its members, or
        # between the opponents' events. Then begin again, now that nothing more is appended.
        in_between = self.in_between or self._ends(self.ends) != self.ends
        appended = {
            member: end
            for member, end in self._ends(self.differing).items()
            if end is not None
            and (reading := self.readings.get(member)) is not None
            and end > reading.until
            and not reading.more
        }
        if self.left_at is not None:
            in_between |= any(end < (self.left_at,) for end in appended.values())
        elif not in_between:
            for member in appended:
                self._read_ahead(member, self.readings[member].until)
            in_between = bool(self.heap) and self.taken is not None and self.heap[0] < self.taken
        if in_between:
            self.begin()

    def take(self) -> tuple[list[Row], list[Row], list[Difference]]:
        """Return the lines as they should be and as they were, and the differing standings, each once."""
        taken = self.rows, self.stood, self.differences
        self.rows, self.stood, self.differences = [], [], []
        return taken

    def _members(self, place: OrderKey) -> Collection[int]:
        """Return the members who take part in an event, or have a line for it."""
        occasion = self.occasions[place]
        event = occasion.event
        return dict.fromkeys((*occasion.lines, *(events.members_of(event) if event else ())))

    def _take(self, place: OrderKey) -> None:
        members = self._members(place)
        occasion = self.occasions.pop(place)
        self.taken = place
        if place[1] not in self.keys and self.differing.keys().isdisjoint(members):
            return  # read ahead for a member whose standing has since come to match the ledger
        self.steps += 1
        self.cost += STEP
        before = {}
        for member in members:
            known = self.differing.get(member)
            stood = known[0] if known is not None else occasion.before.get(member)
            before[member] = stood or self._read_before([(member, place)])[member, place]
        step = self._step(occasion, before)
        self.rows += step.rows
        self.stood += occasion.lines.values()
        for member in members:
            line = occasion.lines.get(member)
            if line is not None:
                in_ledger = line[STANDS]
            else:
                known = self.differing.get(member)
                in_ledger = known[1] if known is not None else before[member][:STANDING]
            self._compare(member, place, step.after[member], in_ledger)

    def _step(self, occasion: Occasion, before: dict[int, LedgerLine]) -> Step:
        """Step over an event, or reuse the foreseen step if its members' standings are the expected ones."""
        if occasion.step is None or occasion.step.before != before:
            after = before.copy()
            event = filter(None, (occasion.event,))
            rows = events.ledger_rows(self.category, event, after, self.editions)
            occasion.step = Step(before, rows, after)
        return occasion.step

    def _compare(self, member: int, place: OrderKey, standing: LedgerLine, in_ledger: Row) -> None:
        """Follow a member while their standing differs from the ledger."""
        self.differences.append((place[0], member, in_ledger[:2], standing[:2]))
        if standing[:STANDING] == in_ledger:
            self.differing.pop(member, None)
            return
        self.differing[member] = standing, in_ledger
        if self._is_unread(member, place):
            self._read_ahead(member, place)

    def _is_unread(self, member: int, place: OrderKey) -> bool:
        """Return whether a member's next line after a place still has to be read."""
        reading = self.readings.get(member)
        if reading is not None and reading.begins <= place <= reading.until:
            return reading.more and place == reading.until
        end = self.ends.get(member)
        return member not in self.ends or (end is not None and end > place)

    def _read_ahead(self, member: int, place: OrderKey) -> None:
        """Add a member's next events from the ledger to those still to be taken.

        Also add those of members who are expected to differ next, since they share the cost of a statement.
        """
        standings = {member: self.differing[member]}
        read = {member: place}
        while self.foreseen and len(read) < _TOGETHER:
            place, other = foreseen = heappop(self.foreseen)
            state = self.foreseen_standings.pop(foreseen)
            if (
                other not in read
                and (self.taken is None or place >= self.taken)
                and self._is_unread(other, place)
            ):
                standings[other], read[other] = state, place
        for other, place in read.items():
            reading = self.readings.get(other)
            begins = reading.begins if reading is not None and reading.until == place else place
            self.readings[other] = Reading(begins, place, LedgerLine(*standings[other][1]))
        for other, places in self._read_lines(read).items():
            self.readings[other].more = len(places) == LINES
            self._foresee(other, standings[other][0], places)

    def _read_lines(self, behind: dict[int, OrderKey]) -> dict[int, list[OrderKey]]:
        """Read the next lines of each member after a place; return their places."""
        asked = [(member, moment, key + 1) for member, (moment, key) in behind.items()]
        parameters = (
            list(map(list, zip(*asked, strict=True)))
            if connection.vendor == "postgresql"
            else [json.dumps(asked)]
        )
        with connection.cursor() as cursor:
            cursor.execute(self.lines_ahead, (*parameters, int(self.category)))
            found = cursor.fetchall()
        self.cost += STATEMENT + LINE * len(found)
        places: dict[int, list[OrderKey]] = {member: [] for member in behind}
        others = []
        as_stored = bulk.parser()
        for row in found:
            row_id, member, category, at, game, opening, adjustment, opponent = row[:FIRST_STANDING]
            moment = as_stored(at)
            place = moment, event_key(row_id)
            places[member].append(place)
            reading = self.readings[member]
            reading.until = place
            line = LedgerLine._make(row[FIRST_STANDING:OWN])
            before, reading.in_ledger = reading.in_ledger, line
            if place[1] in self.keys or place in self.occasions:
                continue
            own = (row_id, member, category, moment, game, opening, adjustment, opponent, *line)
            occasion = self.occasions[place] = Occasion(lines={member: own}, before={member: before})
            heappush(self.heap, place)
            theirs = LedgerLine._make(row[OWN:THEIRS])
            if game is None or opponent is None or theirs.half_points is None:
                # Not a game, or only half in the ledger: the inputs say what it is.
                others.append(place[1])
                continue
            if is_black(row_id):
                white, black, of_black = opponent, member, line.half_points
            else:
                white, black, of_black = member, opponent, theirs.half_points
            occasion.event = GameEvent(
                moment, _GAME, game, white, black, _RESULT_OF_BLACK[of_black], tie_rank_of(row_id)
            )
            whose = row_id ^ 1, opponent, category, moment, game, None, None, member
            occasion.lines[opponent] = whose + theirs
            other = self.readings.get(opponent)
            if other is not None and not other.more and other.begins <= place and other.until < place:
                self.in_between = True  # appended since the opponent’s lines were read
            # Whatever the line doesn't show was looked up. Each line has a number of games: without one,
            # there was no line before.
            told = stood_before(theirs)
            stood = row[THEIRS:]
            occasion.before[opponent] = told or (UNRATED if stood[1] is None else LedgerLine(*stood))
        if others:
            for event in events.events(self.category, keys=others):
                self._occasion(events.moment_of(event), events.key_of(event)).event = event
        return places

    def _foresee(self, member: int, standing: LedgerLine, places: Iterable[OrderKey]) -> None:
        """Predict a member’s next events, with others as in the ledger, to find who will differ."""
        for place in places:
            occasion = self.occasions.get(place)
            if (
                occasion is None
                or occasion.event is None
                or place[1] in self.keys
                or len(occasion.before) < len(events.members_of(occasion.event))
            ):
                continue  # it has changed, or is only half in the ledger
            step = self._step(occasion, {**occasion.before, member: standing})
            standing = step.after[member]
            for other, line in occasion.lines.items():
                after, in_ledger = step.after[other], line[STANDS]
                if after[:STANDING] == in_ledger:
                    if other == member:
                        return
                elif other != member and self._is_unread(other, place):
                    self._expect(other, place, after, in_ledger)
        reading = self.readings[member]
        if reading.more:
            self._expect(member, reading.until, standing, reading.in_ledger[:STANDING])

    def _expect(self, member: int, place: OrderKey, standing: LedgerLine, in_ledger: Row) -> None:
        """Note that a member will probably differ after a place."""
        if (place, member) not in self.foreseen_standings:
            heappush(self.foreseen, (place, member))
        self.foreseen_standings[place, member] = standing, in_ledger

    def _read_before(self, asked: Sequence[tuple[int, OrderKey]]) -> dict[tuple[int, OrderKey], LedgerLine]:
        """Return the standing of each of these members before an event, from the ledger."""
        stood: dict[tuple[int, OrderKey], LedgerLine] = {}
        for some in bulk.batches(asked, _ASKED_AT_ONCE):
            values = ", ".join(["(%s, %s, %s, %s)"] * len(some))
            parameters = [
                value for number, (member, place) in enumerate(some) for value in (number, member, *place)
            ]
            with connection.cursor() as cursor:
                cursor.execute(LAST_BEFORE_EACH.format(values=values), [*parameters, int(self.category)])
                ids = dict(cursor.fetchall())
            found = [row_id for row_id in ids.values() if row_id is not None]
            rows = bulk.fetch_rows(RatingChange, ("id", *events.LEDGER_COLUMNS[STANDS]), found)
            lines = {row_id: LedgerLine(*standing) for row_id, *standing in rows}
            stood.update((one, lines.get(ids[number], UNRATED)) for number, one in enumerate(some))
        self.cost += STATEMENT
        return stood

    def _ends(self, members: Iterable[int]) -> dict[int, OrderKey | None]:
        """Return the place of each of these members' last event."""
        ends: dict[int, OrderKey | None] = dict.fromkeys(members)
        for some in bulk.batches(list(ends)):
            ids = [rating_id(member, self.category) for member in some]
            for row in map(RatingRow._make, bulk.fetch_rows(Rating, RATING_COLUMNS, ids)):
                ends[row.member_id] = row.last_event_at, event_key(row.last_change_id)
                self.newest[row.member_id] = row.standing
        return ends

    def _is_dearer(self, moment: Moment) -> bool:
        """Return whether replaying the rest in order is cheaper now. The events found so far are kept."""
        if self.suffix is None:
            self.suffix = self._suffix(self.since or bulk.as_moment(moment))
        begins, part, found = self.suffix
        whole, within = divmod((bulk.as_moment(moment) - begins) / part, 1) if part else (0, 0)
        passed = sum(found[: int(whole)]) + within * sum(found[int(whole) : int(whole) + 1])
        self.allowed = passed + min(SHARE * sum(found), AT_MOST)
        return self.cost > self.allowed

    def _suffix(self, begins: datetime) -> tuple[datetime, timedelta, list[float]]:
        """Return the start of the rest of the ledger, the length of its parts, and the events in each.

        Counting would cost as much as going through them, so the lines next to the middle of each part give
        an estimate.
        """
        lines = RatingChange.objects.in_order()
        last = lines.values_list("occurred_at").last()
        if last is None or last[0] <= begins:
            return begins, timedelta(), []
        part = (last[0] - begins) / _PARTS
        found = []
        for middle in (begins + (number + 0.5) * part for number in range(_PARTS)):
            some = lines.filter(occurred_at__range=(middle, middle + part / 2))[:_LINES_EACH]
            read = list(bulk.stored_rows(some, ("category", "occurred_at")))
            ours = [category for category, _ in read].count(self.category)
            span = bulk.as_moment(read[-1][1]) - middle if len(read) == _LINES_EACH else part / 2
            # Two lines are nearly always an event. If many have the very same moment, there may be no others.
            found.append(ours / 2 * (part / (span or part / 2)))
        return begins, part, found


LINES: Final = 48
"""Number of a member's lines read together: a shift often persists, but may not."""

FIRST_STANDING: Final = LEDGER_COLUMNS.index("after")
STANDS: Final = slice(FIRST_STANDING, FIRST_STANDING + STANDING)
"""Columns of a ledger row that contain the standing."""
LINE_COLUMNS: Final = LEDGER_COLUMNS[FIRST_STANDING:]
OWN: Final = len(LEDGER_COLUMNS)
THEIRS: Final = OWN + len(LINE_COLUMNS)
"""Index in a row of :func:`lines_ahead` from which the opponent’s line and earlier standing follow."""

OrderKey = tuple[Moment, int]
"""The place of an event in the order of events: its moment and the key of its first row."""


@dataclass(slots=True)
class Occasion:
    """An event according to the inputs, and the ledger's lines in its place."""

    event: Event | None = None
    lines: dict[int, Row] = field(default_factory=dict)
    """The lines by member."""
    before: dict[int, LedgerLine] = field(default_factory=dict)
    """Members' standings before it in the ledger, as far as they have been read."""
    step: Step | None = None
    """The last step over it."""


@dataclass(slots=True)
class Step:
    """The step over an event: its members' standings before, its lines, and the standings after."""

    before: dict[int, LedgerLine]
    rows: list[Row]
    after: dict[int, LedgerLine]


@dataclass(slots=True)
class Reading:
    """A member's lines that have been read: those after ``begins``, up to ``until``."""

    begins: OrderKey
    until: OrderKey
    in_ledger: LedgerLine
    """The member's standing in the ledger after these lines."""
    more: bool = True
    """True if the ledger has more lines after these."""


def _selected(table: str, columns: Iterable[str]) -> Iterator[str]:
    """Yield these columns of a table; moments as text, in the form read by ``office.bulk``."""
    for column in columns:
        name = f"{table}.{column}"
        yield f"CAST({name} AS text)" if column == "occurred_at" else name


@cache
def lines_ahead(vendor: str) -> str:
    """Return the SQL for some members' next lines with the opponents' lines, from the ledger alone.

    It includes the opponents' earlier standings, unless their lines show them
    (``rules.rbb.rating.stood_before``).
    """
    selected = [
        *_selected("own", LEDGER_COLUMNS),
        *_selected("opponents", LINE_COLUMNS),
        *_selected("before", LEDGER_COLUMNS[STANDS]),
    ]
    following = f"""
        FROM ratings_ratingchange line
        WHERE line.member_id = asked.member_id AND line.category = %s
        AND line.occurred_at >= asked.occurred_at
        AND (line.occurred_at > asked.occurred_at OR line.id > asked.id)
        ORDER BY line.occurred_at, line.id LIMIT {LINES}
        """
    if vendor == "postgresql":
        own = f"""
            unnest(%s, %s, %s) asked (member_id, occurred_at, id)
            CROSS JOIN LATERAL (SELECT line.* {following}) own
            """
    else:
        own = f"""
            (
                SELECT
                    json_extract(value, '$[0]') AS member_id,
                    json_extract(value, '$[1]') AS occurred_at,
                    json_extract(value, '$[2]') AS id
                FROM json_each(%s)
            ) asked
            JOIN ratings_ratingchange own ON own.id IN (SELECT line.id {following})
            """  # noqa: S608  names, not values
    return f"""
        SELECT {", ".join(selected)}
        FROM {own}
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
        ORDER BY own.member_id, own.occurred_at, own.id
        """  # noqa: S608  names, not values


LAST_BEFORE_EACH: Final = """
    WITH asked (number, member_id, occurred_at, id) AS (VALUES {values})
    SELECT asked.number, (
        SELECT line.id FROM ratings_ratingchange line
        WHERE line.member_id = asked.member_id AND line.category = %s
        AND line.occurred_at <= asked.occurred_at
        AND (line.occurred_at < asked.occurred_at OR line.id < asked.id)
        ORDER BY line.occurred_at DESC, line.id DESC LIMIT 1
    ) FROM asked
    """
