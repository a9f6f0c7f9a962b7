"""The scale of a month: what has changed the sum of all ratings, to the hundredth (FIDE B.02 10.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, cast

from django.core.cache import cache
from django.db.models import Avg, Count, IntegerField, Q, Sum, Value
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.moments import beginning_of
from ratings.lab.marks import mark_of_office
from ratings.office.fields import hundredths
from ratings.rbb.lists.as_of import standing_at
from ratings.rbb.lists.publishing import next_month
from ratings.rbb.models.ledger import RatingChange
from ratings.rules.rbb.rating import K_PREVIOUSLY_UNRATED, Reason
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

KEPT: Final = 3600
"""Seconds for which figures are kept, unless the ledger changes."""

_NEW: Final = Q(k=K_PREVIOUSLY_UNRATED)
PARTS: Final[tuple[tuple[Promise, str, Q], ...]] = (
    (_("Games, at the K of the category"), "game", Q(reason=Reason.RATED) & ~_NEW),
    (_("Games, at K = 40 of members who were unrated"), "game", Q(reason=Reason.RATED) & _NEW),
    (_("First ratings from five results"), "game", Q(reason=Reason.FIRST_RATING)),
    (_("Starting ratings from FIDE lists or an earlier system"), "opening", Q(reason=Reason.OPENING)),
    (_("Over-the-board changes"), "adjustment", Q(reason=Reason.ADJUSTED)),
    (_("Ratings lost below the floor"), "", Q(reason=Reason.LOST_UNDER_FLOOR)),
)
"""Everything that moves a rating: its name, the kind of its events (empty: of any kind), its ledger lines."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the change: the number of its lines, and what they added to the sum of all ratings."""

    name: str | Promise
    kind: str
    lines: int
    change: Decimal


@dataclass(frozen=True, slots=True)
class Scale:
    """The ratings of a moment: their number, sum and mean."""

    members: int
    total: Decimal
    mean: Decimal | None


@dataclass(frozen=True, slots=True)
class Flow:
    """The ratings of a category before and after a month, and the parts of the difference."""

    category: Category
    before: Scale
    after: Scale
    parts: list[Part]

    @property
    def change(self) -> Decimal:
        """The change of the sum."""
        return self.after.total - self.before.total


def flows(month: date) -> list[Flow]:
    """Return the flow of each category in a month, by today's ledger."""
    key = f"lab-scale:{month}:{mark_of_office()}"
    return cast(list[Flow], cache.get_or_set(key, lambda: list(_flows(month)), KEPT))


def _flows(month: date) -> Iterable[Flow]:
    begin, end = beginning_of(month), beginning_of(next_month(month))
    moved = Coalesce(hundredths("after"), Value(0)) - Coalesce(hundredths("before"), Value(0))
    asked: dict[str, Any] = {}
    for number, (_name, _kind, lines) in enumerate(PARTS):
        asked[f"lines_{number}"] = Count("pk", filter=lines)
        asked[f"change_{number}"] = Sum(moved, filter=lines, output_field=IntegerField(), default=0)
    ledger = RatingChange.objects.filter(occurred_at__gt=begin, occurred_at__lte=end).order_by()
    for category in Category:
        sums = ledger.filter(category=category).aggregate(**asked)
        parts = [
            Part(name, kind, sums[f"lines_{number}"], from_hundredths(sums[f"change_{number}"]))
            for number, (name, kind, _lines) in enumerate(PARTS)
        ]
        yield Flow(category, _sum(category, begin), _sum(category, end), parts)


def _sum(category: Category, moment: datetime) -> Scale:
    """Return the ratings at a moment, after its last event."""
    rated = standing_at(category, moment).order_by()
    found = rated.aggregate(
        members=Count("pk"), total=Sum(hundredths("after")), mean=Avg(hundredths("after"))
    )
    mean = None if found["mean"] is None else from_hundredths(Hundredths(round(found["mean"])))
    return Scale(found["members"], from_hundredths(Hundredths(found["total"] or 0)), mean)
