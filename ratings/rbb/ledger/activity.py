"""Recently active members: those with a rated game in the twelve months before a moment."""

from __future__ import annotations

from datetime import MINYEAR, datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet

from ratings.rbb.models.ledger import RatingChange
from ratings.rules.rbb.rating import Reason

COUNTED: Final = (
    Reason.RATED,
    Reason.LOST_UNDER_FLOOR,
    Reason.RESULT_COUNTED,
    Reason.FIRST_RATING,
    Reason.FIRST_RATING_BELOW_FLOOR,
)
"""Reasons of a ledger line for which it counts as one of a member's rated games."""


def active(rows: QuerySet[Any], moment: datetime) -> QuerySet[Any]:
    """Keep rows of ``Rating`` or of the ledger whose members have played in their category."""
    played = _played(moment).filter(member=OuterRef("member"), category=OuterRef("category"))
    return rows.filter(Exists(played))


def active_members(members: QuerySet[Any], moment: datetime) -> QuerySet[Any]:
    """Keep the members who have played in any category."""
    return members.filter(Exists(_played(moment).filter(member=OuterRef("pk"))))


def _played(moment: datetime) -> QuerySet[RatingChange]:
    return RatingChange.objects.filter(
        occurred_at__gt=twelve_months_before(moment),
        occurred_at__lte=moment,
        game__isnull=False,
        reason__in=COUNTED,
    )


def twelve_months_before(moment: datetime) -> datetime:
    """Return the same moment a year earlier, at least the minimum year; 29 February becomes the 28th."""
    year = max(moment.year - 1, MINYEAR)
    try:
        return moment.replace(year=year)
    except ValueError:  # 29 February
        return moment.replace(year=year, day=28)
