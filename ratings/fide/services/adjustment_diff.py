"""RBB 3.15: differences between the stored adjustments of announced months and those their lists give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

from foa.history import name_author
from members.former import keep_fide_arrivals
from members.models import Member
from ratings.fide.models import AnnouncedChange
from ratings.fide.services.entitlements import AnnouncedDifference, Given, Month, announced_months, change_of
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category


class ChangeDifference(NamedTuple):
    """A change as it ``was`` stored, as ``adjustment``, and as it should be (None if there isn't one).

    ``contained``: there should be none because a first rating contains it.
    """

    member: Member
    category: Category
    period: date
    adjustment: Any
    was: AnnouncedDifference | None
    wanted: AnnouncedDifference | None
    contained: bool


def change_differences(some: Given, months: Iterable[Month]) -> Iterator[ChangeDifference]:
    """Yield stored adjustments of these months that differ from what their lists give these members.

    An adjustment entered by hand stays, and is the only one of its month. If a month was announced from a
    file, or it isn't known what its lists say about a member, the only differences are changes that a first
    rating contains.
    """
    announced = {month.announcement.period: month for month in months}
    members = {member.pk: member for member in some.members}
    stored = {}
    entered = set()
    adjustments = OtbAdjustment.objects.filter(member__in=list(members), period__in=list(announced))
    for adjustment in adjustments.select_related("member", "announced").order_by("pk"):
        key = adjustment.member_id, adjustment.category, adjustment.period
        if hasattr(adjustment, "announced"):
            stored[key] = adjustment
        else:
            entered.add(key)
    wanted = {
        one.key: one
        for one in some.changes([month for month in announced.values() if month.of_lists])
        if one.key not in entered
    }
    for key, adjustment in stored.items():
        month = announced[key[2]]
        if not month.of_lists or not some.knows_change(members[key[0]], *key[1:]):
            wanted[key] = change_of(adjustment, month.at)
    for key in sorted({*stored, *wanted}):
        contained = some.contains(*key)
        adjustment, change = stored.get(key), None if contained else wanted.get(key)
        was = change_of(adjustment) if adjustment else None
        if _facts(change) != _facts(was):
            yield ChangeDifference(members[key[0]], *key[1:], adjustment, was, change, contained)


def _facts(change: AnnouncedDifference | None) -> tuple[Any, ...] | None:
    """Return the values that two changes are compared by: those that decide, and those that explain."""
    return change and (change.amount, change.at, change.previous, change.new)


def settle(differences: Sequence[ChangeDifference], *, by: Any = None, note: str = "") -> None:
    """Store the changes as they should be. Call it within ``deferred()``."""
    months = announced_months()
    new = []
    for one in differences:
        adjustment, change = one.adjustment, one.wanted
        if change is None:
            name_author(adjustment, by, note)
            adjustment.delete()
        elif adjustment is None:
            new.append(change)
        else:
            name_author(adjustment, by, note)
            adjustment.change, adjustment.effective_at = from_hundredths(change.amount), change.at
            adjustment.save()
            made = adjustment.announced
            made.previous, made.new, made.games = change.previous, change.new, change.games
            made.save()
    store(new, {period: month.announcement for period, month in months.items()})
    for period in {one.period for one in differences}:
        announcement = months[period].announcement
        announcement.count = announcement.changes.count()
        announcement.save(update_fields=["count"])


def store(changes: Sequence[AnnouncedDifference], announcements: dict[date, Any]) -> None:
    """Make an adjustment for each change, as its announcement does."""
    adjustments = []
    for change in changes:
        adjustment = OtbAdjustment(
            member=change.member,
            category=change.category,
            period=change.period,
            effective_at=change.at,
            source=announcements[change.period].source,
        )
        adjustment.change = from_hundredths(change.amount)
        adjustments.append(adjustment)
    OtbAdjustment.objects.bulk_create(adjustments)
    keep_fide_arrivals("ratings.OtbAdjustment.member", adjustments)
    AnnouncedChange.objects.bulk_create(
        AnnouncedChange(
            adjustment=adjustment,
            announcement=announcements[change.period],
            previous=change.previous,
            new=change.new,
            games=change.games,
        )
        for adjustment, change in zip(adjustments, changes, strict=True)
    )


def settle_by_itself(some: Given) -> None:
    """Bring the changes of announced months in line with first ratings that were just given.

    Missing changes are added, and those contained in a first rating are removed. Other differences had been
    applied to somebody, so they are left to the first-rating check. Call it within ``deferred()``.
    """
    months = announced_months()
    differing = change_differences(some, months.values()) if months else ()
    settle([one for one in differing if one.adjustment is None or one.contained])
