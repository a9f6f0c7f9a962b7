"""What publishing a month would do, before it is done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from ratings.models.lists import RatingList
from ratings.rules.time_controls import Category
from ratings.services.lists.freezing import differing_members
from ratings.services.lists.publishing import first_month, publish
from ratings.services.lists.report import Report, report


@dataclass(frozen=True, slots=True)
class Preview:
    """The list of a category as it would be published, or as it stands where that would be the same.

    ``stands`` is the revision that holds now, None without any; ``differing`` members stand otherwise in a
    further one. Where that is nobody, its period begins with another list.
    """

    listed: RatingList
    report: Report
    stands: RatingList | None
    is_new: bool
    differing: int

    def will_be_published(self, revise: bool) -> bool:
        """Whether publishing makes this list."""
        return self.is_new and (revise or self.stands is None)


def month_to_publish(text: str, at: datetime) -> datetime:
    """The first moment of a month such as ``2026-03``; raises ValidationError for one without lists."""
    try:
        month = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        raise ValidationError(_("“%(text)s” is no month such as 2026-03.") % {"text": text}) from None
    if month > at:
        raise ValidationError(
            _("%(month)s has not begun: its lists show the state on its first day.") % {"month": text}
        )
    first = first_month()
    if first is None or month < first:
        raise ValidationError(
            _("%(month)s lies before the first rated game: there is no list of it.")
            % {"month": f"{month:%Y-%m}"}
        )
    return month


def months_to_publish(at: datetime) -> list[datetime]:
    """The months that can be published, latest first: from that of the first rated game on."""
    first = first_month()
    if first is None:
        return []
    span = range(first.year * 12 + first.month - 1, at.year * 12 + at.month)
    return [datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC) for number in reversed(span)]


def preview(*, category: Category, month: datetime, at: datetime) -> Preview:
    """What publishing would give: it is done and taken back, so it says exactly that."""
    with transaction.atomic():
        stands = RatingList.objects.monthly().filter(category=category, month=month.date()).first()
        listed, is_new = publish(category=category, month=month, at=at, revise=True)
        shown = Preview(
            listed=listed,
            report=report(listed),
            stands=stands,
            is_new=is_new,
            differing=differing_members(stands) if stands and is_new else 0,
        )
        transaction.set_rollback(True)
    return shown
