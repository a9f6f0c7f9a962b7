"""Rewriting the ledger and ratings of one category to match the inputs, but only rows that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar, dataclass
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import cast

from django.utils import timezone

from foa.current_change_set import change_set_under_way
from ratings.office import bulk
from ratings.office.bulk import Row
from ratings.rbb.ledger import events
from ratings.rbb.ledger.affected_events import AffectedEvents
from ratings.rbb.ledger.events import (
    LEDGER_COLUMNS,
    RATING_COLUMNS,
    WRITTEN_COLUMNS,
    LedgerRow,
    RatingRow,
)
from ratings.rbb.ledger.lists_reached import LateLines, ListedStanding, ListsReached
from ratings.rbb.ledger.summaries import Moved, Progress, ReplaySummary, TellDifference
from ratings.rbb.models.fields import event_key, rating_id
from ratings.rbb.models.ledger import Rating, RatingChange, RatingChangeQuerySet
from ratings.rbb.models.recalculations import SETTLED_AFTER, RecalculatedLine, Recalculation
from ratings.rules.rbb.editions import Editions
from ratings.rules.rbb.rating import UNRATED, LedgerLine
from ratings.rules.time_controls import Category

_CHUNK = 5_000

# Key and member are in the same positions in both kinds of rows.
_ID = itemgetter(LEDGER_COLUMNS.index("id"))
_MEMBER = itemgetter(LEDGER_COLUMNS.index("member_id"))
_MOMENT = itemgetter(LEDGER_COLUMNS.index("occurred_at"))

_EVENT = LEDGER_COLUMNS.index("after")
"""Number of columns before this one, which identify a line's member and event."""

_KEPT = ("member_id", "category", "occurred_at", "opponent_id", "before", "after", "change", "reason")
_AS_IT_WAS = itemgetter(*map(LEDGER_COLUMNS.index, _KEPT))
"""A function that returns the columns kept of a line that a decision moves or deletes."""


@dataclass
class Rewriting:
    """The rewriting of one category, from a moment on.

    ``editions``: by moment as stored. ``highest``: no line has a higher key. ``lost``: for each category,
    lines overwritten by another category's replay. ``entry``: the key of the outbox entry for what is
    written.
    """

    category: Category
    since: datetime | None
    editions: Editions
    highest: int
    check: bool
    progress: Progress | None
    report: TellDifference | None
    summary: ReplaySummary
    lost: InitVar[dict[int, list[Row]]]
    entry: Callable[[], int]

    def __post_init__(self, lost: dict[int, list[Row]]) -> None:
        self.members = _Members(self.category)
        self.concerned: set[int] = set()
        self.differences = _Differences(self.category, self.entry)
        self.lists = ListsReached(self.category, self.since)
        self.late = LateLines(self.category, self.lists.last, lost)
        self.is_behind = False
        self.keeps_changed = change_set_under_way() is not None or self._is_late()
        self.displaced: Mapping[int, Row] = {}

    def run(self, affected: AffectedEvents | None) -> None:
        """Follow what moves, or take all events; then update the ratings and record the differences."""
        if affected is None:
            self._take_in_order(self.since)
        else:
            self._take_what_moves(affected)
            if affected.left_at is not None:
                self._leave(affected, affected.left_at)
                self._take_in_order(bulk.as_moment(affected.left_at))
        went = self._settle_ratings() or len(self.late.found)
        if went and self.differences.first is None and self.since is not None:
            # A game moved to another category, whose replay has taken its lines along.
            self.differences.first = bulk.as_stored(self.since)
            self.differences.lines = went
        reached = self.lists.finish()
        self.summary.lists |= reached
        if self.differences.first is None or self.check:
            return
        noted = self.differences.finish()
        self.late.write(noted.pk)
        self.summary.noted.append(noted.pk)
        if self.is_behind or self.late.found or reached:
            behind = self.summary.behind
            self.summary.behind = noted.since if behind is None else min(behind, noted.since)

    def _is_late(self) -> bool:
        """Return whether the changes may have to be registered: see :func:`ratings.rbb.ledger.late_facts`."""
        since = self.since
        return since is None or bool(self.lists.ahead) or timezone.now() - since > SETTLED_AFTER

    def _take_what_moves(self, affected: AffectedEvents) -> None:
        """Take the events of members whose standing differs."""
        self.displaced = affected.displaced
        over, taken = False, 0
        while not over:
            over = affected.advance(_CHUNK)
            rows, stood, differences = affected.take()
            self.lists.note(differences)
            overwritten = [row for row in stood if self.late.overwritten.pop(_ID(row), None)]
            self._compare(rows, stood, overwritten)
            self._advance(affected.steps - taken)
            taken = affected.steps
        self.concerned.update(affected.differing)

    def _leave(self, affected: AffectedEvents, left: bulk.Moment) -> None:
        """Remove lines whose events have moved, so that a replay in order doesn't find them."""
        for key, row in affected.displaced.items():
            comes_before = affected.moments[event_key(key)] < left  # type: ignore[operator]  # all as stored
            stood_before = _MOMENT(row) < left
            if comes_before and not stood_before:
                self.late.overwritten[key] = row
            elif stood_before and not comes_before:
                bulk.delete_rows(RatingChange, [key])

    def _take_in_order(self, begin: datetime | None) -> None:
        """Take all events from a moment on; None: from the first."""
        ledger = RatingChange.objects.filter(category=self.category)
        is_first = begin is None or not ledger.filter(occurred_at__lt=begin).exists()
        self.members = _Members(self.category, begin, begins_the_ledger=is_first)
        if begin is not None:
            ledger = ledger.filter(occurred_at__gte=begin)
        is_empty = not ledger.exists()
        after: bulk.Moment | None = None
        for chunk in events.in_chunks(events.events(self.category, begin), _CHUNK):
            members = dict.fromkeys(member for event in chunk for member in events.members_of(event))
            self.members.meet(members)
            before = self.members.shown(members) if self.lists.ahead else {}
            rows = events.ledger_rows(self.category, chunk, self.members.standings, self.editions)
            self.members.last_rows.update(zip(map(_MEMBER, rows), rows, strict=True))
            if is_empty:
                self._fill(rows)
            else:
                until = events.moment_of(chunk[-1])
                stood, overwritten = self._stood(ledger, after, until)
                differ = self._compare(rows, stood, overwritten)
                self._reach(rows, stood, before, differ)
                after = until
            self._advance(len(chunk))
        if not is_empty:
            stood, overwritten = self._stood(ledger, after, None)
            differ = self._compare([], stood, overwritten)
            self._reach([], stood, {}, differ)
        ratings = Rating.objects.filter(category=self.category).order_by()
        if begin is not None:
            ratings = ratings.filter(last_event_at__gte=begin)
        self.concerned.update(ratings.values_list("member_id", flat=True))
        self.members.meet(self.concerned)
        self.concerned.update(self.members.last_rows)

    def _advance(self, taken: int) -> None:
        self.summary.events += taken
        if self.progress:
            self.progress(self.summary.events)

    def _reach(
        self, rows: list[Row], stood: list[Row], before: dict[int, ListedStanding], differ: bool
    ) -> None:
        """Follow which lists these lines affect; ``before``: their members' earlier standings."""
        if self.lists.ahead and (differ or self.lists.otherwise):
            # Members who no longer have an event: their standing is unchanged.
            others = set(map(_MEMBER, stood)).difference(before)
            self.members.meet(others)
            before |= self.members.shown(others)
        self.lists.take(rows, stood, before, differ)

    def _stood(
        self, ledger: RatingChangeQuerySet, after: bulk.Moment | None, until: bulk.Moment | None
    ) -> tuple[list[Row], list[Row]]:
        """Return the lines after one moment and up to another, and those overwritten."""
        if after is not None:
            ledger = ledger.filter(occurred_at__gt=bulk.as_moment(after))
        if until is not None:
            ledger = ledger.filter(occurred_at__lte=bulk.as_moment(until))
        overwritten = [
            row
            for row in self.late.overwritten.values()
            if until is None or _MOMENT(row) <= until  # both as stored
        ]
        for row in overwritten:
            del self.late.overwritten[_ID(row)]
        standing = list(bulk.stored_rows(ledger.order_by(), LEDGER_COLUMNS))
        return standing + overwritten, overwritten

    def _fill(self, rows: list[Row]) -> None:
        """Write the first lines of a ledger."""
        self.summary.changes_written += len(rows)
        self.differences.add(rows)
        if self.check:
            self._report_rows("missing", LEDGER_COLUMNS, rows)
        elif rows:
            if self.since is not None:  # else the ledger is rebuilt, and the lists had these lines
                self.late.take(rows, dict.fromkeys(map(_ID, rows)), (), self.highest)
            new = min(map(_ID, rows)) > self.highest
            self._write(rows, bulk.insert_rows if new else bulk.upsert_rows)

    def _compare(self, rows: list[Row], stood: list[Row], overwritten: list[Row]) -> bool:
        """Make the ledger contain exactly these rows in place of the old ones; return whether any differ.

        ``overwritten``: rows among the old ones that another category's replay has already replaced.
        """
        stored: dict[int, Row] = dict(zip(map(_ID, stood), stood, strict=True))
        for key in [*map(_ID, overwritten), *self.displaced]:
            stored.pop(key, None)
        was: dict[int, Row | None] = {}
        changed: list[Row] = []
        moved: list[Row] = []
        placed: list[Row] = []
        for key, row in zip(map(_ID, rows), rows, strict=True):
            old = stored.pop(key, None) or self.displaced.get(key)
            if old != row:
                was[key] = old
                changed.append(row)
                (moved if old is not None and old[:_EVENT] == row[:_EVENT] else placed).append(row)
        gone = list(stored.values())
        differ = bool(changed or gone or overwritten)
        self.summary.changes_written += len(changed)
        self.summary.changes_deleted += len(gone)
        self.differences.add([*changed, *gone])
        old_lines = [old for old in was.values() if old is not None]
        self.is_behind = self.is_behind or bool(old_lines or gone or overwritten)
        if not self.check:
            self.differences.keep(gone, old_lines if self.keeps_changed else ())
        self.concerned.update(map(_MEMBER, gone + overwritten))
        for row in placed:
            self.concerned.update(map(_MEMBER, filter(None, (was[_ID(row)], row))))
        if self.check:
            self._report_rows("ledger", LEDGER_COLUMNS, changed, was)
            self._report_rows("ledger, without an event", LEDGER_COLUMNS, gone)
            return differ
        self.late.take(changed, was, gone, self.highest)
        bulk.delete_rows(RatingChange, list(stored))
        if moved:
            self._write(moved, partial(bulk.upsert_rows, kept=_EVENT))
        if placed:
            self._write(placed, bulk.upsert_rows)
        return differ

    def _write(self, rows: list[Row], write: Callable[..., None]) -> None:
        """Write lines, each with its outbox entry."""
        entry = self.entry()
        write(RatingChange, WRITTEN_COLUMNS, [(*row, entry) for row in rows])

    def _settle_ratings(self) -> int:
        """Update the rating of each affected member from their last ledger row; return how many differed."""
        differed = 0
        self.members.meet(self.concerned)
        for members in bulk.batches(sorted(self.concerned)):
            ids = [rating_id(member, self.category) for member in members]
            rows = bulk.fetch_rows(Rating, RATING_COLUMNS, ids)
            stored = {row.member_id: row for row in map(RatingRow._make, rows)}
            changed = []
            stale = []
            for member in members:
                old = stored.get(member)
                last = self.members.last_rows.get(member)
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
            differed += len(changed) + len(stale)
            self.summary.ratings_written += len(changed)
            self.summary.ratings_deleted += len(stale)
            if self.check:
                self._report_rows(
                    "rating", RATING_COLUMNS, changed, {row.id: stored.get(row.member_id) for row in changed}
                )
                self._report_rows("rating, without an event", RATING_COLUMNS, stale)
                continue
            bulk.upsert_rows(Rating, RATING_COLUMNS, changed)
            bulk.delete_rows(Rating, [row.id for row in stale])
        return differed

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


class _UnratedUntilMet(dict[int, LedgerLine]):
    """Standings by member; unknown members are unrated (RBB 3.5)."""

    def __missing__(self, member: int) -> LedgerLine:
        return UNRATED


class _Members:
    """Members' standings and last lines in a category, while its events are taken in order.

    At first they are those of the ledger before ``begin``; None: those with which it ends.
    ``begins_the_ledger``: there are none before it.
    """

    def __init__(
        self, category: Category, begin: datetime | None = None, *, begins_the_ledger: bool = False
    ) -> None:
        self.category = category
        self.begin = begin
        self.begins_the_ledger = begins_the_ledger
        self.standings: dict[int, LedgerLine] = _UnratedUntilMet()
        self.last_rows: dict[int, Row] = {}

    def meet(self, members: Iterable[int]) -> None:
        """Load these members from the ledger, unless they are known."""
        if self.begins_the_ledger:
            return
        strangers = [member for member in dict.fromkeys(members) if member not in self.standings]
        self.standings.update(dict.fromkeys(strangers, UNRATED))
        for some in bulk.batches(strangers):
            for row in events.last_rows_before(self.category, self.begin, some):
                self.standings[row.member_id] = row.standing
                self.last_rows[row.member_id] = row

    def shown(self, members: Iterable[int]) -> dict[int, ListedStanding]:
        """Return the standings of these members as lists show them."""
        return {member: self.standings[member][:2] for member in members}


class _Differences:
    """The lines of a category that a replay changes, and the recalculation that keeps the old ones.

    ``first``: the moment of the first line, as stored. ``lines``: their number.
    """

    def __init__(self, category: Category, entry: Callable[[], int]) -> None:
        self.category = category
        self.entry = entry
        self.first: bulk.Moment | None = None
        self.lines = 0
        self.noted: Recalculation | None = None

    def add(self, rows: list[Row]) -> None:
        """Count differing lines and note the first; they come chunk by chunk, in order of time."""
        self.lines += len(rows)
        if rows and self.first is None:
            self.first = min(map(_MOMENT, rows))

    def keep(self, gone: Iterable[Row], changed: Iterable[Row]) -> None:
        """Keep the old values of removed or changed lines."""
        rows = [(row, True) for row in gone] + [(row, False) for row in changed]
        if rows:
            noted = self._recalculation().pk
            bulk.insert_rows(
                RecalculatedLine,
                ("recalculation_id", "line", "gone", *_KEPT),
                [(noted, row[0], is_gone, *_AS_IT_WAS(row)) for row, is_gone in rows],
            )

    def finish(self) -> Recalculation:
        """Record the total number of lines."""
        noted = self._recalculation()
        if noted.lines != self.lines:
            noted.lines, noted.at = self.lines, timezone.now()
            noted.save()
        return noted

    def _recalculation(self) -> Recalculation:
        """Record that lines were recalculated, and by which decision."""
        if self.noted is None:
            self.noted = Recalculation.objects.create(
                category=self.category,
                since=bulk.as_moment(cast(bulk.Moment, self.first)),
                at=timezone.now(),
                lines=self.lines,
                change_set_id=change_set_under_way(),
                entry=self.entry(),
            )
        return self.noted
