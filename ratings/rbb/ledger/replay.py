"""The one path of every rating change.

Saving the newest event of its members replays that event; correcting, voiding, deleting or inserting an old
one replays what it moves. If it isn't known what has changed, or if much has, a replay takes all events from
a moment on in order. Either way the rules step over events, the result is compared with the ledger, and only
rows that differ are written. A full rebuild is a replay from the first moment.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from time import perf_counter
from typing import Any, Final

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from foa.current_change_set import change_set_under_way, is_deciding
from foa.moments import month_of
from foa.monitoring.metrics import REPLAYED, REPLAYING
from ratings.office import bulk
from ratings.office.bulk import Row
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_event
from ratings.rbb.ledger import events
from ratings.rbb.ledger.affected_events import AffectedEvents
from ratings.rbb.ledger.event_order import order_equal_moments
from ratings.rbb.ledger.events import (
    LEDGER_COLUMNS,
    RATING_COLUMNS,
    WRITTEN_COLUMNS,
    LedgerRow,
    RatingRow,
)
from ratings.rbb.ledger.late_facts import register_late_facts
from ratings.rbb.ledger.locks import lock_category, lock_replays, locks_for_event
from ratings.rbb.ledger.rewriting import Rewriting
from ratings.rbb.ledger.summaries import Cause, Progress, ReplaySummary, TellDifference
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rbb.models.editions import RuleEdition
from ratings.rbb.models.fields import EventType, change_id, event_id, kind_of, rating_id
from ratings.rbb.models.games import Game
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rbb.models.lists import RatingList
from ratings.rbb.models.openings import OpeningRating
from ratings.rbb.models.pending_replay import Pending, Place, Touched, pending
from ratings.rbb.models.recalculations import SETTLED_AFTER, Recalculation
from ratings.rules.rbb.editions import Editions
from ratings.rules.rbb.rating import UNRATED
from ratings.rules.time_controls import Category

_MANY = 20_000
"""Number of events above which the indexes of an empty ledger are dropped while it is filled."""

_STEPS_BESIDE_OTHERS = 50_000
"""Maximum number of steps kept in memory while games are rated during a replay."""

_NEWEST_ALONE: Final[ContextVar[bool]] = ContextVar("newest_alone", default=False)
"""True inside :func:`newest_alone`."""


class NotNewestError(Exception):
    """An error for a change behind the newest ratings, which needs a decision."""


@dataclass(slots=True)
class Deferred:
    """The work collected by :func:`deferred`.

    ``touched``: what will be replayed; rows written without a queryset are noted here. ``origin``: the source
    of the facts, for the register. ``summary``: filled at the end of the block.
    """

    touched: Pending
    origin: dict[str, list[str]] = field(default_factory=dict)
    summary: ReplaySummary = field(default_factory=ReplaySummary)


def replay(
    *,
    categories: Iterable[Category] = tuple(Category),
    since: datetime | None = None,
    check: bool = False,
    progress: Progress | None = None,
    report: TellDifference | None = None,
) -> ReplaySummary:
    """Rebuild the projections of these categories from a moment on (None: from nothing).

    With ``check`` nothing is written; ``report`` gets every difference. ``progress`` gets the number of
    events taken so far. One transaction: all or nothing.
    """
    touched = Pending({category: Touched(since, keys=None) for category in categories})
    return replay_since(touched, cause=Cause.REBUILD, check=check, progress=progress, report=report)


def replay_since(
    touched: Pending,
    *,
    cause: Cause = Cause.FACTS,
    origin: Mapping[str, list[str]] = {},
    check: bool = False,
    progress: Progress | None = None,
    report: TellDifference | None = None,
) -> ReplaySummary:
    """Replay the touched events of each category.

    One outbox entry reports all lines that differ; if none do, there is no entry. Late facts that nobody
    decided on get an entry in the register; ``origin``: the source of the facts.

    Raises NotNewestError within :func:`newest_alone`.
    """
    began = perf_counter()
    summary = ReplaySummary()
    entry = cache(lambda: record_event(OutboxEntry.Event.RATING_CHANGED, cause=cause).pk)
    categories = sorted(touched)
    with transaction.atomic(), _collector_at_rest():
        for category in categories:
            lock_replays(category)
        editions = RuleEdition.objects.editions(bulk.as_stored)
        _touch_openings_of_one_moment(touched)
        order_equal_moments(touched)
        affected = _affected(touched, editions)
        for category in categories:
            lock_category(category)
        for one in affected.values():
            one.catch_up()
        # Queried once: any key beyond it is new. A row with a known key may still be in another category,
        # where its event used to be.
        highest = RatingChange.objects.aggregate(highest=Max("pk"))["highest"] or 0
        with _indexes_for(not highest and not check):
            lost: dict[int, list[Row]] = {}
            for category in categories:
                Rewriting(
                    category,
                    touched[category].since,
                    editions,
                    highest=highest,
                    check=check,
                    progress=progress,
                    report=report,
                    summary=summary,
                    lost=lost,
                    entry=entry,
                ).run(affected.get(category))
        if summary.behind is not None:
            if _NEWEST_ALONE.get():
                raise NotNewestError
            if not is_deciding():
                register_late_facts(touched, summary, cause=cause, origin=origin)
    if not check:
        REPLAYED.inc(summary.changes_written + summary.changes_deleted)
        REPLAYING.observe(perf_counter() - began)
    return summary


def _touch_openings_of_one_moment(touched: Pending) -> None:
    """Touch all openings of a member at one moment together: which one applies depends on all of them."""
    keys = [key for one in touched.values() for key in one.keys or () if kind_of(key) is EventType.OPENING]
    for some in bulk.batches(keys):
        inputs = OpeningRating.objects.filter(pk__in=map(event_id, some))
        lines = RatingChange.objects.filter(pk__in=some)
        places = {
            *inputs.values_list("member", "category", "effective_at"),
            *lines.values_list("member", "category", "occurred_at"),
        }
        alike = OpeningRating.objects.filter(member__in={member for member, *_ in places})
        for key, *place in alike.values_list("pk", "member", "category", "effective_at"):
            if tuple(place) in places:
                touched.add(Category(place[1]), place[2], change_id(EventType.OPENING, key))


def _affected(touched: Pending, editions: Editions) -> dict[Category, AffectedEvents]:
    """Return the known changes by category, as far as they were read while games could still be saved."""
    keys = set[int]().union(*(one.keys or () for one in touched.values()))
    ids = [row_id for key in sorted(keys) for row_id in (key, key + 1)]
    rows = list(map(LedgerRow._make, bulk.fetch_rows(RatingChange, LEDGER_COLUMNS, ids)))
    affected = {}
    for category, one in touched.items():
        if one.keys is not None:
            stood = [row for row in rows if row.category == category]
            affected[category] = AffectedEvents(category, one, stood, editions)
            affected[category].advance(_STEPS_BESIDE_OTHERS)
    return affected


@contextmanager
def deferred(progress: Progress | None = None, cause: Cause = Cause.FACTS) -> Iterator[Deferred]:
    """Collect bulk work on games, openings and adjustments, with one replay at the end.

    One transaction: if the block or the replay fails, everything is rolled back. Blocks may be nested; the
    outermost one replays, and records its cause.
    """
    outer = pending.get()
    if outer is not None:
        yield Deferred(outer)
        return
    notebook = Pending()
    result = Deferred(notebook)
    with transaction.atomic():
        token = pending.set(notebook)
        try:
            yield result
        finally:
            pending.reset(token)
        if notebook:
            result.summary = replay_since(notebook, cause=cause, origin=result.origin, progress=progress)


@contextmanager
def newest_alone() -> Iterator[None]:
    """Raise NotNewestError, and store nothing, if ratings change behind the newest ones or a list.

    That is known only after locking: the newest game may not be the newest any more when it is stored.
    """
    token = _NEWEST_ALONE.set(True)
    try:
        yield
    finally:
        _NEWEST_ALONE.reset(token)


def append(one: Game | OpeningRating | OtbAdjustment, at: Place) -> bool:
    """Rate a game or another input at its place if it is the newest event of all its members.

    Return False, with nothing done, if one of them has an event at the same moment or later, or if a
    published list includes that moment.
    """
    category, moment, _key = at
    is_game = isinstance(one, Game)
    members = [one.white_id, one.black_id] if isinstance(one, Game) else [one.member_id]
    ids = [rating_id(member, category) for member in members]
    locks = locks_for_event(category, members, ids, moment)
    ratings = list(map(RatingRow._make, bulk.fetch_rows(Rating, RATING_COLUMNS, ids, waiting=locks)))
    stored_moment = bulk.as_stored(moment)
    if any(rating.last_event_at >= stored_moment for rating in ratings):  # type: ignore[operator]
        return False
    now = timezone.now()
    # A list shows the first moment of a month.
    if moment <= month_of(now) and RatingList.objects.showing(category, moment).exists():
        return False
    standings = dict.fromkeys(members, UNRATED)
    standings |= {rating.member_id: rating.standing for rating in ratings}
    event = events.event_of(one, stored_moment)
    # Read after locking, too: a decision about editions waits for this category.
    editions = RuleEdition.objects.editions(bulk.as_stored) if is_game else Editions()
    rows = list(map(LedgerRow._make, events.ledger_rows(category, [event], standings, editions)))
    # Read after locking: of two events of a member, the later one must get the higher key.
    cause = Cause.GAME if is_game else Cause.FACTS
    entry = record_event(OutboxEntry.Event.RATING_CHANGED, cause=cause).pk
    bulk.upsert_rows(RatingChange, WRITTEN_COLUMNS, [(*row, entry) for row in rows])
    bulk.upsert_rows(Rating, RATING_COLUMNS, [row.rating for row in rows])
    if not is_game or now - moment > SETTLED_AFTER:
        Recalculation.objects.create(
            category=category,
            since=moment,
            at=now,
            lines=len(rows),
            change_set_id=change_set_under_way(),
            entry=entry,
        )
    return True


def _indexes_for(from_nothing: bool) -> AbstractContextManager[Any]:
    """Return a context that drops the indexes while a large ledger is built from nothing."""
    counting = Game.objects.order_by().counting()
    if from_nothing and counting[: _MANY + 1].count() > _MANY:
        return bulk.without_indexes(RatingChange)
    return nullcontext()


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Pause garbage collection during a replay.

    A replay makes millions of tuples and no cycles, and looking for cycles takes half of its time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
