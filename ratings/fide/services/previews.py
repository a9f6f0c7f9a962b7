"""What announcing a list, or taking an announcement back, will do: the thing itself, rolled back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from django.db import transaction

from members.models import Member
from ratings.fide.models import AnnouncedChange, Announcement
from ratings.fide.services.announcing import Announced, announce, undo_announcement
from ratings.rules.rounding import from_hundredths, points_or_none
from ratings.rules.time_controls import Category
from ratings.services.ledger.replay import Moved


class AffectedRow(NamedTuple):
    """A member: his over-the-board ratings, what lies between them, his RBB rating before and after.

    Over the board None where the change came from a file; RBB None while unrated.
    """

    member: Member
    category: Category
    previous: int | None
    new: int | None
    change: Decimal
    before: Decimal | None
    after: Decimal | None


@dataclass(slots=True)
class Preview:
    """Every member affected, by name; ``others``: ratings that move because games came after."""

    announcement: Announcement
    result: Announced | None = None
    rows: list[AffectedRow] = field(default_factory=list)
    others: list[Moved] = field(default_factory=list)


def preview_of_announcement(*, period: date, at: datetime) -> Preview:
    """What announcing the list of this month would do. Raises NotAnnounced as it would."""
    with transaction.atomic():
        result = announce(period=period, at=at)
        transaction.set_rollback(True)
    changes = [
        (one.member, one.category, one.previous, one.new, from_hundredths(one.amount))
        for one in result.changes
    ]
    rows, others = _affected(changes, result.replayed.moved)
    return Preview(result.announcement, result, rows, others)


def preview_of_undoing(announcement: Announcement) -> Preview:
    """What taking this announcement back would do."""
    made = AnnouncedChange.objects.filter(announcement=announcement)
    changes = [
        (one.adjustment.member, one.adjustment.category, one.previous, one.new, one.adjustment.change)
        for one in made.select_related("adjustment__member")
    ]
    with transaction.atomic():
        _count, summary = undo_announcement(period=announcement.period)
        transaction.set_rollback(True)
    return Preview(announcement, None, *_affected(changes, summary.moved))


def _affected(
    changes: Sequence[tuple[Member, Category, int | None, int | None, Decimal]], moved: Sequence[Moved]
) -> tuple[list[AffectedRow], list[Moved]]:
    by_key = {(one.member_id, one.category): one for one in moved}
    rows = []
    for member, category, previous, new, change in changes:
        one = by_key.pop((member.pk, category), None)
        before = None if one is None else points_or_none(one.before)
        after = None if one is None else points_or_none(one.after)
        rows.append(AffectedRow(member, category, previous, new, change, before, after))
    return sorted(rows, key=lambda row: (str(row.member), row.member.pk, row.category)), list(by_key.values())
