"""RBB 3.15: the over-the-board changes of a FIDE list are added to the ratings, once for a period."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from ratings.fide.models import AnnouncedChange, Announcement, FirstRating
from ratings.fide.services.changes import Change, NotAnnounced, changes_of_file, changes_of_lists
from ratings.fide.services.locks import lock_fide_lists
from ratings.formats.csv_rows import Row
from ratings.formats.problems import Problem, readable
from ratings.models.games import OtbAdjustment
from ratings.models.ledger import Rating
from ratings.rules.rounding import from_hundredths, to_hundredths
from ratings.rules.units import Points
from ratings.services.ledger.replay import ReplaySummary, deferred


@dataclass(slots=True)
class Announced:
    """What an announcement did.

    ``is_new``: False if the period was announced before, and nothing was done. Left as they were:
    ``unrated`` members, those with an adjustment of this period that was ``entered`` before, and those whose
    first rating ``contained`` the change already, being of this very list or a later one. ``refused``: rows
    of a file.
    """

    announcement: Announcement
    is_new: bool = True
    changes: list[Change] = field(default_factory=list)
    entered: int = 0
    contained: int = 0
    unrated: int = 0
    refused: int = 0
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """An announcement that was taken back, with the changes that its adjustments had made."""

    announcement: Announcement
    changes: list[Change]
    replayed: ReplaySummary


def announce(*, period: date, at: datetime, by: Any = None, using: str = DEFAULT_DB_ALIAS) -> Announced:
    """Add to every rated member's rapid and blitz what the list of this month changed since the one before.

    Raises NotAnnounced if one of the two lists was not imported. One transaction, one replay.
    """
    announcement = Announcement(period=period, source=f"FIDE rating list {period:%Y-%m}")
    return _announce(announcement, lambda result: list(changes_of_lists(period, using)), at, by, using)


def import_changes(
    *,
    rows: Iterable[Row | Problem],
    period: date,
    source: str,
    sha256: str,
    at: datetime,
    by: Any = None,
    on_refused: Callable[[Problem], None] = lambda problem: None,
    using: str = DEFAULT_DB_ALIAS,
) -> Announced:
    """Add the changes of a file instead, which is an announcement of its period like any other.

    Raises NotAnnounced, and nothing is stored, if a single row is refused: a period is announced once, so
    there is no second run for corrected rows.
    """
    announcement = Announcement(period=period, source=readable(source)[-255:], sha256=sha256)

    def changes(result: Announced) -> list[Change]:
        def refuse(problem: Problem) -> None:
            result.refused += 1
            on_refused(problem)

        found = list(changes_of_file(rows, period, refuse, using))
        if result.refused:
            raise NotAnnounced(f"{result.refused} rows are refused, so nothing is stored")
        return found

    return _announce(announcement, changes, at, by, using)


def undo_announcement(*, period: date, using: str = DEFAULT_DB_ALIAS) -> TakenBack:
    """Take the adjustments of an announcement back, these and no others.

    Raises NotAnnounced for a period that was not announced. One transaction, one replay.
    """
    with transaction.atomic(using=using):
        lock_fide_lists(connections[using])
        announcement = Announcement.objects.using(using).filter(period=period).first()
        if announcement is None:
            raise NotAnnounced(f"no list of {period:%Y-%m} was announced")
        made = AnnouncedChange.objects.using(using).filter(announcement=announcement)
        changes = [
            Change(
                one.adjustment.member,
                one.adjustment.category,
                to_hundredths(one.adjustment.change),
                _points(one.previous),
                _points(one.new),
                one.games,
            )
            for one in made.select_related("adjustment__member").order_by("pk")
        ]
        with deferred(using=using) as work:
            OtbAdjustment.objects.using(using).filter(announced__announcement=announcement).delete()
            announcement.delete()
    return TakenBack(announcement, changes, work.summary)


def _points(published: int | None) -> Points | None:
    return None if published is None else Points(published)


def _announce(
    announcement: Announcement,
    changes: Callable[[Announced], list[Change]],
    at: datetime,
    by: Any,
    using: str,
) -> Announced:
    period = announcement.period
    with transaction.atomic(using=using):
        lock_fide_lists(connections[using])
        if before := Announcement.objects.using(using).filter(period=period).first():
            return Announced(before, is_new=False)
        result = Announced(announcement)
        found = changes(result)
        announcement.announced_at, announcement.announced_by = at, by
        with deferred(using=using) as work:
            _store(result, found, at, using)
        result.replayed = work.summary
    return result


def _store(result: Announced, changes: list[Change], at: datetime, using: str) -> None:
    """One adjustment for each change of somebody who has a rating and not yet this change in it."""
    announcement = result.announcement
    period = announcement.period
    rated = set(Rating.objects.using(using).filter(rating__isnull=False).values_list("member", "category"))
    entered = set(OtbAdjustment.objects.using(using).filter(period=period).values_list("member", "category"))
    contained = set(
        FirstRating.objects.using(using)
        .filter(fide_list__period__gte=period)
        .values_list("opening__member", "opening__category")
    )
    for change in changes:
        key = (change.member.pk, change.category)
        if key not in rated:
            result.unrated += 1
        elif key in entered:
            result.entered += 1
        elif key in contained:
            result.contained += 1
        elif change.amount:
            result.changes.append(change)
    announcement.count = len(result.changes)
    announcement.save(using=using)
    adjustments = []
    for change in result.changes:
        adjustment = OtbAdjustment(
            member=change.member,
            category=change.category,
            period=period,
            effective_at=at,
            source=announcement.source,
        )
        adjustment.change = from_hundredths(change.amount)
        adjustments.append(adjustment)
    OtbAdjustment.objects.using(using).bulk_create(adjustments)
    AnnouncedChange.objects.using(using).bulk_create(
        AnnouncedChange(
            adjustment=adjustment,
            announcement=announcement,
            previous=change.previous,
            new=change.new,
            games=change.games,
        )
        for adjustment, change in zip(adjustments, result.changes, strict=True)
    )
