"""What a published list says of its period: who is new, who left, who moved most. All from frozen lines."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.db.models import Exists, ExpressionWrapper, F, OuterRef, QuerySet

from ratings.models.lists import RatingList, RatingListEntry
from ratings.office.fields import HundredthsField

NAMED: Final = 20
"""So many members of a group are named; all of them are counted."""


@dataclass(frozen=True, slots=True)
class Group:
    """Some lines of a list: how many, and the first of them."""

    count: int
    first: list[RatingListEntry]


@dataclass(frozen=True, slots=True)
class Report:
    """A list beside the one before it.

    ``new``: on no list of this category before. ``returned``: on an earlier one, but not on the last.
    ``left``: their lines on the list before; they lost their rating under the floor (RBB 3.3).
    ``risers`` and ``fallers`` by the exact change since the list before. ``mean_drift`` and
    ``median_drift`` in points, None without a list before.
    """

    new: Group
    returned: Group
    left: Group
    risers: list[RatingListEntry]
    fallers: list[RatingListEntry]
    mean_drift: Decimal | None
    median_drift: Decimal | None


def report(published: RatingList) -> Report:
    """The report of a list, read from it and from the lists before it, none of which is ever altered."""
    entries = published.entries.select_related("member", "rating_list").order_by("position")
    earlier = RatingListEntry.objects.filter(
        rating_list__category=published.category,
        rating_list__month__lt=published.month,
        member=OuterRef("member"),
    )
    came = entries.filter(previous=None)
    before = published.previous
    left = (
        before.entries.select_related("member", "rating_list")
        .filter(~Exists(published.entries.filter(member=OuterRef("member"))))
        .order_by("position")
        if before
        else entries.none()
    )
    moved = entries.exclude(previous=None).annotate(
        risen=ExpressionWrapper(F("rating") - F("previous"), output_field=HundredthsField())
    )
    return Report(
        new=_group(came.filter(~Exists(earlier))),
        returned=_group(came.filter(Exists(earlier))),
        left=_group(left),
        risers=list(moved.filter(risen__gt=0).order_by("-risen", "position")[:NAMED]),
        fallers=list(moved.filter(risen__lt=0).order_by("risen", "position")[:NAMED]),
        mean_drift=_drift(before.mean if before else None, published.mean),
        median_drift=_drift(before.median if before else None, published.median),
    )


def _group(lines: QuerySet[RatingListEntry]) -> Group:
    return Group(lines.count(), list(lines[:NAMED]))


def _drift(before: Decimal | None, now: Decimal | None) -> Decimal | None:
    return None if before is None or now is None else now - before
