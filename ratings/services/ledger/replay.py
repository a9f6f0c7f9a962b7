"""The one path of every rating change.

Saving the newest game is a replay whose suffix is one event; correcting, voiding, deleting or inserting an
old one is the same replay with a longer suffix. A replay takes the events from a moment on in order, lets the
rules step over them, compares what comes out with the ledger and writes only the rows that differ. A rebuild
from nothing is the replay from the first moment.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import Max
from django.utils import timezone

from foa.moments import month_of
from ratings.models.deferral import Pending, pending
from ratings.models.games import Game
from ratings.models.ledger import Kind, Rating, RatingChange, change_id, rating_id
from ratings.models.lists import RatingList
from ratings.models.recalculations import SETTLED_AFTER, RecalculatedLine, Recalculation
from ratings.office import bulk
from ratings.office.bulk import Row
from ratings.office.under_way import change_set_under_way
from ratings.rules.rbb.steps import UNRATED, Line
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths
from ratings.services.ledger import events
from ratings.services.ledger.events import LEDGER_COLUMNS, RATING_COLUMNS, LedgerRow, RatingRow
from ratings.services.ledger.late import LateLines, note_new_lines
from ratings.services.ledger.locks import lock_category, lock_for_event
from ratings.services.ledger.reaching import ListsReached

_CHUNK = 5_000
_MEMBERS_AT_ONCE = 2_000
_MANY = 20_000
"""From so many events on it pays to take the indexes off an empty ledger."""

# Key and member stand in the same place in both kinds of rows.
_ID = itemgetter(LEDGER_COLUMNS.index("id"))
_MEMBER = itemgetter(LEDGER_COLUMNS.index("member_id"))
_MOMENT = itemgetter(LEDGER_COLUMNS.index("occurred_at"))

_KEPT = ("member_id", "category", "occurred_at", "opponent_id", "before", "after", "change", "reason")
_AS_IT_WAS = itemgetter(*map(LEDGER_COLUMNS.index, _KEPT))
"""What is kept of a line that a decision moves, or that goes."""

Progress = Callable[[int], None]
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Moved:
    """A member whose present rating in a category a replay moved; hundredths, None is unrated."""

    member_id: int
    category: Category
    before: Hundredths | None
    after: Hundredths | None


@dataclass(slots=True)
class ReplaySummary:
    """What a replay read and wrote (with ``check``: what it would have written)."""

    events: int = 0
    changes_written: int = 0
    changes_deleted: int = 0
    ratings_written: int = 0
    ratings_deleted: int = 0
    moved: list[Moved] = field(default_factory=list)
    lists: dict[int, int] = field(default_factory=dict)
    """By the key of a published list how many of its members stand otherwise at its moment."""

    @property
    def differences(self) -> int:
        """Rows of ledger and ratings that were not as the inputs say."""
        return self.changes_written + self.changes_deleted + self.ratings_written + self.ratings_deleted

    def __str__(self) -> str:
        return (
            f"Replayed {self.events} events: {self.changes_written} ledger rows and {self.ratings_written} "
            f"ratings written, {self.changes_deleted} and {self.ratings_deleted} taken away."
        )


@dataclass(slots=True)
class Deferred:
    """What :func:`deferred` gives.

    ``touched``: what will be replayed; rows that are written without a queryset are noted here. ``summary``:
    filled when the block is over.
    """

    touched: Pending
    summary: ReplaySummary = field(default_factory=ReplaySummary)


def replay(
    *,
    categories: Iterable[Category] = tuple(Category),
    since: datetime | None = None,
    check: bool = False,
    progress: Progress | None = None,
    report: Report | None = None,
    using: str = DEFAULT_DB_ALIAS,
) -> ReplaySummary:
    """Rebuild the projections of these categories from a moment on (None: from nothing).

    With ``check`` nothing is written; ``report`` is told every difference. ``progress`` is told how many
    events have been taken. One transaction: all or nothing.
    """
    return replay_since(
        dict.fromkeys(categories, since), check=check, progress=progress, report=report, using=using
    )


def replay_since(
    since: Mapping[Category, datetime | None],
    *,
    check: bool = False,
    progress: Progress | None = None,
    report: Report | None = None,
    using: str = DEFAULT_DB_ALIAS,
) -> ReplaySummary:
    """Replay each category from its own moment on."""
    summary = ReplaySummary()
    connection = connections[using]
    with transaction.atomic(using=using), _collector_at_rest():
        for category in sorted(since):
            lock_category(connection, category)
        # Asked once: whatever key lies beyond it is new. A row of another key may still stand in another
        # category, where its event was before.
        highest = RatingChange.objects.using(using).aggregate(highest=Max("pk"))["highest"] or 0
        with _indexes_for(using, not highest and not check):
            lost: dict[int, list[Row]] = {}
            for category in sorted(since):
                _Replay(
                    using, category, since[category], highest, check, progress, report, summary, lost
                ).run()
    return summary


@contextmanager
def deferred(progress: Progress | None = None, using: str = DEFAULT_DB_ALIAS) -> Iterator[Deferred]:
    """Bulk work on games, openings and adjustments, with one replay at its end.

    One transaction: if the block or the replay fails, nothing of it stays. Blocks may stand in each other;
    the outermost replays.
    """
    outer = pending.get()
    if outer is not None:
        yield Deferred(outer)
        return
    notebook = Pending()
    result = Deferred(notebook)
    with transaction.atomic(using=using):
        token = pending.set(notebook)
        try:
            yield result
        finally:
            pending.reset(token)
        if notebook.since:
            result.summary = replay_since(dict(notebook.since), progress=progress, using=using)


def append(game: Game, category: Category, moment: datetime, using: str = DEFAULT_DB_ALIAS) -> bool:
    """Rate a game of this category that ended at this moment, if it is the newest event of both its players.

    False, and nothing done, if one of them has a later event.
    """
    connection = connections[using]
    white, black = game.white_id, game.black_id
    ids = (rating_id(white, category), rating_id(black, category))
    lock_for_event(connection, category, (white, black), ids, moment)
    ratings = list(map(RatingRow._make, bulk.fetch_rows(connection, Rating, RATING_COLUMNS, ids)))
    stored_moment = bulk.as_stored(connection, moment)
    place = (stored_moment, change_id(Kind.GAME, game.pk))
    if any(rating.place > place for rating in ratings):
        return False
    standings = {white: UNRATED, black: UNRATED}
    standings |= {rating.member_id: rating.standing for rating in ratings}
    event = events.GameEvent(stored_moment, Kind.GAME, game.pk, white, black, game.result)
    rows = list(map(LedgerRow._make, events.ledger_rows(category, [event], standings)))
    bulk.upsert_rows(connection, RatingChange, LEDGER_COLUMNS, rows)
    bulk.upsert_rows(connection, Rating, RATING_COLUMNS, [row.rating for row in rows])
    now = timezone.now()
    # A list is of the first moment of a month: only behind that can a game be on none that is published.
    behind = moment <= month_of(now) and RatingList.objects.using(using).showing(category, moment).exists()
    if behind or now - moment > SETTLED_AFTER:
        noted = Recalculation.objects.using(using).create(
            category=category, since=moment, at=now, lines=len(rows)
        )
        if behind:
            note_new_lines(using, noted.pk, [row.id for row in rows])
    return True


class _UnratedUntilMet(dict[int, Line]):
    """Where members stand; one of whom nothing is known is unrated (RBB 3.5)."""

    def __missing__(self, member: int) -> Line:
        return UNRATED


class _Replay:
    """One category, from one moment on."""

    def __init__(
        self,
        using: str,
        category: Category,
        since: datetime | None,
        highest: int,
        check: bool,
        progress: Progress | None,
        report: Report | None,
        summary: ReplaySummary,
        lost: dict[int, list[Row]],
    ) -> None:
        self.using = using
        self.connection = connections[using]
        self.category = category
        self.since = since
        self.highest = highest
        self.check = check
        self.progress = progress
        self.report = report
        self.summary = summary
        self.ledger = RatingChange.objects.using(using).filter(category=category)
        self.ratings = Rating.objects.using(using).filter(category=category)
        self.begins_the_ledger = since is None or not self.ledger.filter(occurred_at__lt=since).exists()
        if since is not None:
            self.ledger = self.ledger.filter(occurred_at__gte=since)
        self.ledger_is_empty = not self.ledger.exists()
        self.standings: dict[int, Line] = _UnratedUntilMet()
        self.last_rows: dict[int, Row] = {}
        self.first_difference: bulk.Moment | None = None
        self.lines_that_differ = 0
        self.lists = ListsReached(using, category, since)
        self.late = LateLines(using, category, self.lists.last, lost)
        self.moved_lines: list[tuple[Row, bool]] = []

    def run(self) -> None:
        """Take all events, bring the ratings to where the last rows left them, and note what differs."""
        done_until: datetime | None = None
        for chunk in events.in_chunks(events.events(self.using, self.category, self.since), _CHUNK):
            self._meet(member for event in chunk for member in events.members_of(event))
            rows = events.ledger_rows(self.category, chunk, self.standings)
            self.last_rows.update(zip(map(_MEMBER, rows), rows, strict=True))
            until = bulk.as_moment(events.moment_of(chunk[-1]))
            self._settle(rows, done_until, until)
            done_until = until
            self.summary.events += len(chunk)
            if self.progress:
                self.progress(self.summary.events)
        self._settle([], done_until, None)
        ratings_before = self.summary.ratings_written + self.summary.ratings_deleted
        self._settle_ratings()
        ratings = self.summary.ratings_written + self.summary.ratings_deleted - ratings_before
        went = ratings or len(self.late.found)
        if went and self.first_difference is None and self.since is not None:
            # A game went to another category, whose replay has taken its lines along.
            self.first_difference, self.lines_that_differ = (
                bulk.as_stored(self.connection, self.since),
                went,
            )
        self.summary.lists |= self.lists.finish()
        if self.first_difference is not None and not self.check:
            self._note_recalculation(bulk.as_moment(self.first_difference))

    def _meet(self, members: Iterable[int]) -> None:
        """Learn where members stood before the first event, from the ledger."""
        if self.since is None or self.begins_the_ledger:
            return
        strangers = [member for member in dict.fromkeys(members) if member not in self.standings]
        self.standings.update(dict.fromkeys(strangers, UNRATED))
        for some in _batches(strangers):
            for row in events.last_rows_before(self.using, self.category, self.since, some):
                self.standings[row.member_id] = row.standing
                self.last_rows[row.member_id] = row

    def _settle(self, rows: list[Row], after: datetime | None, until: datetime | None) -> None:
        """Make the ledger hold exactly these rows between two moments (after excluded, until included)."""
        if self.ledger_is_empty:
            self.summary.changes_written += len(rows)
            self._note_difference(rows)
            if self.check:
                self._report_rows("missing", LEDGER_COLUMNS, rows)
            elif rows:
                if self.since is not None:  # else the ledger is rebuilt, and the lists had these lines
                    self.late.take(rows, dict.fromkeys(map(_ID, rows)), (), self.highest)
                new = min(map(_ID, rows)) > self.highest
                write = bulk.insert_rows if new else bulk.upsert_rows
                write(self.connection, RatingChange, LEDGER_COLUMNS, rows)
            return
        standing = self.ledger
        if after is not None:
            standing = standing.filter(occurred_at__gt=after)
        if until is not None:
            standing = standing.filter(occurred_at__lte=until)
        standing_rows = list(standing.order_by().values_list(*events.stored_values(LEDGER_COLUMNS)))
        stored: dict[int, Row] = dict(zip(map(_ID, standing_rows), standing_rows, strict=True))
        was = {}
        changed = []
        for key, row in zip(map(_ID, rows), rows, strict=True):
            old = stored.pop(key, None)
            if old != row:
                changed.append(row)
                was[key] = old
        self.summary.changes_written += len(changed)
        self.summary.changes_deleted += len(stored)
        self._note_difference([*changed, *stored.values()])
        self.lists.take(rows, was, stored.values())
        self.moved_lines += [(row, True) for row in stored.values()]
        if change_set_under_way() is not None:
            self.moved_lines += [(old, False) for old in was.values() if old is not None]
        if self.check:
            self._report_rows("ledger", LEDGER_COLUMNS, changed, was)
            self._report_rows("ledger, without an event", LEDGER_COLUMNS, stored.values())
            return
        self.late.take(changed, was, stored.values(), self.highest)
        bulk.delete_rows(self.connection, RatingChange, list(stored))
        bulk.upsert_rows(self.connection, RatingChange, LEDGER_COLUMNS, changed)

    def _note_recalculation(self, since: datetime) -> None:
        """Say that lines were recalculated, by which decision, and keep those that it moved or took away."""
        noted = Recalculation.objects.using(self.using).create(
            category=self.category,
            since=since,
            at=timezone.now(),
            lines=self.lines_that_differ,
            change_set_id=change_set_under_way(),
        )
        bulk.insert_rows(
            self.connection,
            RecalculatedLine,
            ("recalculation_id", "line", "gone", *_KEPT),
            [(noted.pk, row[0], gone, *_AS_IT_WAS(row)) for row, gone in self.moved_lines],
        )
        self.late.write(noted.pk)

    def _note_difference(self, rows: list[Row]) -> None:
        """Lines come in the order of their moments, chunk by chunk."""
        self.lines_that_differ += len(rows)
        if rows and self.first_difference is None:
            self.first_difference = min(map(_MOMENT, rows))

    def _settle_ratings(self) -> None:
        """Bring the rating of everybody concerned to his last ledger row."""
        stood = self.ratings if self.since is None else self.ratings.filter(last_event_at__gte=self.since)
        concerned = list(stood.order_by().values_list("member_id", flat=True))
        self._meet(concerned)
        for members in _batches(list(dict.fromkeys([*self.last_rows, *concerned]))):
            ids = [rating_id(member, self.category) for member in members]
            rows = bulk.fetch_rows(self.connection, Rating, RATING_COLUMNS, ids)
            stored = {row.member_id: row for row in map(RatingRow._make, rows)}
            changed = []
            stale = []
            for member in members:
                old = stored.get(member)
                last = self.last_rows.get(member)
                new = None if last is None else LedgerRow._make(last).rating
                if new == old:
                    continue
                if new is not None:
                    changed.append(new)
                elif old is not None:
                    stale.append(old)
                before, after = old.rating if old else None, new.rating if new else None
                if before != after:
                    self.summary.moved.append(Moved(member, self.category, before, after))
            self.summary.ratings_written += len(changed)
            self.summary.ratings_deleted += len(stale)
            if self.check:
                self._report_rows(
                    "rating", RATING_COLUMNS, changed, {row.id: stored.get(row.member_id) for row in changed}
                )
                self._report_rows("rating, without an event", RATING_COLUMNS, stale)
                continue
            bulk.upsert_rows(self.connection, Rating, RATING_COLUMNS, changed)
            bulk.delete_rows(self.connection, Rating, [row.id for row in stale])

    def _report_rows(
        self,
        what: str,
        columns: tuple[str, ...],
        rows: Iterable[Row],
        was: Mapping[int, Row | None] = {},
    ) -> None:
        if self.report is None:
            return
        for row in rows:
            key, old = _ID(row), was.get(_ID(row))
            if old is None:
                told = "stands nowhere" if key in was or what == "missing" else "should not stand"
            else:
                told = ", ".join(
                    f"{column} is {stored}, should be {computed}"
                    for column, stored, computed in zip(columns, old, row, strict=True)
                    if stored != computed
                )
            self.report(f"{self.category.slug}: {what}: row {key} of member {_MEMBER(row)}: {told}")


def _batches(members: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(members), _MEMBERS_AT_ONCE):
        yield members[start : start + _MEMBERS_AT_ONCE]


def _indexes_for(using: str, from_nothing: bool) -> AbstractContextManager[Any]:
    """A large ledger that is built from nothing is filled without its indexes."""
    counting = Game.objects.using(using).order_by().counting()
    if from_nothing and counting[: _MANY + 1].count() > _MANY:
        return bulk.without_indexes(connections[using], RatingChange)
    return nullcontext()


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Replay makes millions of tuples and no cycles: looking for some takes half of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
