"""RBB 3.15: the over-the-board changes of a month, from two lists or a file, added to ratings once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from foa.text import counted, month_text, number_in
from members.models import Member
from ratings.fide.models import AnnouncedChange, AnnouncedMonth, Announcement
from ratings.fide.services.adjustment_diff import store
from ratings.fide.services.entitlements import (
    AnnouncedDifference,
    Given,
    Imported,
    Month,
    change_of,
    given,
    month_before,
)
from ratings.fide.services.lists import keep_history_in_force
from ratings.fide.services.locks import lock_fide_lists
from ratings.fide.services.watch import watched
from ratings.formats.csv_rows import Row, hundredths_of
from ratings.formats.frl import FideControl
from ratings.formats.problems import Problem, readable, shown
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rbb.models.ledger import RatingChange
from ratings.rules.rbb.fide_lists import LISTS_OF_CHANGES
from ratings.rules.rbb.rating import Reason
from ratings.rules.units import Hundredths

Found = Iterable[tuple[Given, list[AnnouncedDifference]]]
"""Changes of a month, in batches of members."""


@dataclass(slots=True)
class Announced:
    """The result of an announcement.

    ``is_new``: False if the period had been announced before, so that nothing was done. Three groups are left
    as they were: members ``unrated`` at its moment, whose changes the ledger doesn't apply; those with an
    adjustment of this period that was ``entered`` before; and those whose first rating ``contained`` the
    change, because it comes from this list or a later one. ``watched``: number of members whose stored
    figures differ from what the lists give; their first ratings should be determined again.
    """

    announcement: Announcement
    is_new: bool = True
    changes: list[AnnouncedDifference] = field(default_factory=list)
    entered: int = 0
    contained: int = 0
    unrated: int = 0
    watched: int = 0
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """An undone announcement, with the changes that its adjustments had made."""

    announcement: Announcement
    changes: list[AnnouncedDifference]
    replayed: ReplaySummary


def announce(*, period: date, at: datetime, by: Any = None) -> Announced:
    """Add to every member's rapid and blitz ratings what changed between last month's list and this one.

    The changes are added at the moment of the month's first announcement: now, unless that announcement was
    undone. Raises NotAnnounced if one of the two lists wasn't imported. Uses one transaction and one replay.
    """
    announcement = Announcement(period=period, source=f"FIDE rating list {period:%Y-%m}")

    def changes(at: datetime) -> Found:
        require_lists(period)
        keep_history_in_force()
        month = Month(announcement, at)
        members = Member.objects.filter(fide_id__isnull=False)
        return ((some, list(some.changes([month]))) for some in given(members))

    return _announce(announcement, changes, at, by)


def import_changes(
    *,
    rows: Iterable[Row | Problem],
    period: date,
    source: str,
    sha256: str,
    at: datetime,
    by: Any = None,
    refused: list[Problem],
) -> Announced:
    """Announce a period with the changes of a file instead of two lists.

    ``refused``: filled with the rows that can't be announced. Raises NotAnnounced, and stores nothing, if
    there is a single one: a period is announced once, so corrected rows can't be added in a second run.
    """
    announcement = Announcement(period=period, source=readable(source)[-255:], sha256=sha256)

    def changes(at: datetime) -> Found:
        by_member: dict[int, list[AnnouncedDifference]] = defaultdict(list)
        for change in changes_of_file(rows, period, at, refused):
            by_member[change.member.pk].append(change)
        if refused:
            raise NotAnnounced(
                f"{counted(len(refused), 'row was', 'rows were')} refused, so nothing was stored"
            )
        members = Member.objects.filter(fide_id__isnull=False)
        return (
            (some, [change for one in some.members for change in by_member.get(one.pk, ())])
            for some in given(members)
        )

    return _announce(announcement, changes, at, by)


def undo_announcement(*, period: date) -> TakenBack:
    """Remove exactly the adjustments of an announcement.

    The month keeps the moment of its announcement. Raises NotAnnounced for a period that wasn't announced.
    Uses one transaction and one replay.
    """
    with transaction.atomic():
        lock_fide_lists()
        announcement = Announcement.objects.filter(period=period).first()
        if announcement is None:
            raise NotAnnounced(f"no list of {month_text(period)} was announced")
        made = AnnouncedChange.objects.filter(announcement=announcement)
        changes = [
            change_of(one.adjustment)
            for one in made.select_related("adjustment__member", "adjustment__announced").order_by("pk")
        ]
        with deferred() as work:
            OtbAdjustment.objects.filter(announced__announcement=announcement).delete()
            announcement.delete()
    return TakenBack(announcement, changes, work.summary)


def _announce(
    announcement: Announcement,
    changes: Callable[[datetime], Found],
    at: datetime,
    by: Any,
) -> Announced:
    period = announcement.period
    with transaction.atomic():
        lock_fide_lists()
        if before := Announcement.objects.filter(period=period).first():
            return Announced(before, is_new=False)
        result = Announced(announcement)
        month, _new = AnnouncedMonth.objects.get_or_create(period=period, defaults={"announced_at": at})
        found = changes(month.announced_at)
        announcement.announced_at, announcement.announced_by = at, by
        with deferred() as work:
            _store(result, found)
        result.replayed = work.summary
        lines = RatingChange.objects.filter(adjustment__announced__announcement=announcement)
        result.unrated = lines.filter(reason=Reason.ADJUSTMENT_UNRATED).count()
        result.watched = sum(1 for _one in watched(at=at))
    return result


def _store(result: Announced, found: Found) -> None:
    """Store an adjustment for each change, except for members who have it already."""
    announcement = result.announcement
    entered = OtbAdjustment.objects.filter(period=announcement.period)
    keys = set(entered.values_list("member", "category", "period"))
    for some, changes in found:
        for change in changes:
            if change.key in keys:
                result.entered += 1
            elif some.contains(*change.key):
                result.contained += 1
            else:
                result.changes.append(change)
    announcement.count = len(result.changes)
    announcement.save()
    store(result.changes, {announcement.period: announcement})


COLUMNS: Final = ("fide_id", "period", "rapid", "blitz")

_MOST: Final = Hundredths(4000_00)
"""Maximum rating, and so the largest possible change."""


class NotAnnounced(Exception):
    """The reason, for people, why a list can't be announced or an announcement can't be undone."""


def require_lists(period: date) -> None:
    """Raise NotAnnounced if the list of a month or of the month before wasn't imported.

    Going further back would include the changes of months that have announcements of their own.
    """
    before = month_before(period)
    imported = Imported()
    for name in LISTS_OF_CHANGES.values():
        for month in (before, period):
            if imported.of(FideControl(name), month) is None:
                raise NotAnnounced(
                    f"the {name} list of {month_text(month)} was not imported: what changed from "
                    f"{month_text(before)} to {month_text(period)} is not known"
                )


def changes_of_file(
    rows: Iterable[Row | Problem],
    period: date,
    at: datetime,
    refused: list[Problem],
) -> Iterator[AnnouncedDifference]:
    """Yield the changes in the rows of a CSV file, one row for each member of this period.

    Rows that can't be announced are added to ``refused``.
    """
    seen: dict[int, int] = {}
    members = {member.fide_id: member for member in Member.objects.filter(fide_id__isnull=False)}
    for row in rows:
        if isinstance(row, Problem):
            refused.append(row)
            continue
        faults = []
        text = row.values["fide_id"]
        fide_id = number_in(text, 9) or 0
        member = members.get(fide_id)
        if member is None:
            faults.append(f"fide_id: {shown(text)} isn’t the FIDE ID of a member")
        elif (line := seen.setdefault(fide_id, row.line)) != row.line:
            faults.append(f"fide_id: {fide_id} is already in line {line}")
        if row.values["period"] != f"{period:%Y-%m}":
            faults.append(f"period: {shown(row.values['period'])} is not {period:%Y-%m}")
        amounts = {}
        for category, name in LISTS_OF_CHANGES.items():
            try:
                amounts[category] = _amount(row.values[name])
            except ValueError:
                faults.append(
                    f"{name}: {shown(row.values[name])} is not a number with at most two decimals (RBB 3.1) "
                    "between -4000.00 and 4000.00"
                )
        if faults or member is None:
            refused.append(Problem(row.line, "; ".join(faults), row.values))
            continue
        for category, amount in amounts.items():
            if amount:
                yield AnnouncedDifference(member, category, period, amount, at)


def refused_rows(rows: Iterable[Row | Problem], period: date) -> list[Problem]:
    """Return the rows of such a file that can't be announced."""
    refused: list[Problem] = []
    for _change in changes_of_file(rows, period, timezone.now(), refused):
        pass
    return refused


def _amount(text: str) -> Hundredths:
    """Read an amount; blank means 0."""
    amount = hundredths_of(text) if text else Hundredths(0)
    if abs(amount) > _MOST:
        raise ValueError
    return amount
