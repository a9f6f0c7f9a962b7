"""The scale of a month: what has changed the sum of all ratings, to the hundredth (FIDE B.02 10.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple, cast

from django.core.cache import cache
from django.db.models import Avg, Count, IntegerField, Q, Sum, Value
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.moments import beginning_of
from ratings.lab.marks import mark_of_office
from ratings.office.fields import hundredths
from ratings.rbb.decisions.closures import CloseAccount, ReopenAccount
from ratings.rbb.lists.as_of import standing_at
from ratings.rbb.lists.comparing import corrections_of
from ratings.rbb.lists.freezing import corrected_since
from ratings.rbb.lists.publishing import next_month
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.lists import RatingList
from ratings.rbb.models.recalculations import LateLine, RecalculatedLine
from ratings.rules.rbb.editions import K_PREVIOUSLY_UNRATED
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

KEPT: Final = 3600
"""Seconds for which figures are kept, unless the ledger changes."""

NAMED: Final = 100
"""Maximum number of members named whose ratings were corrected."""

_NEW: Final = Q(k=K_PREVIOUSLY_UNRATED)
PARTS: Final[tuple[tuple[Promise, Reason, str, Q], ...]] = (
    (_("Games at the usual K"), Reason.RATED, "other", ~_NEW),
    (_("New players’ games at K = 40"), Reason.RATED, "40", _NEW),
    (_("First ratings from five results"), Reason.FIRST_RATING, "", Q()),
    (_("Starting ratings from FIDE lists or an earlier system"), Reason.OPENING, "", Q()),
    (_("Over-the-board changes"), Reason.ADJUSTED, "", Q()),
    (_("Ratings lost below the floor"), Reason.LOST_UNDER_FLOOR, "", Q()),
)
"""Everything that moves a rating: its name, its reason and K in the ledger, and the lines with this K."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the change: the number of its lines or members, and what they added to the sum.

    ``reason`` and ``k``: of its lines in the ledger; None for corrections.
    """

    name: str | Promise
    reason: int | None
    k: str
    number: int
    change: Decimal


@dataclass(frozen=True, slots=True)
class Scale:
    """The ratings of a moment: their number, sum and mean; ``published``: the list they are on, if any."""

    members: int
    total: Decimal
    mean: Decimal | None
    published: RatingList | None


class Corrected(NamedTuple):
    """Corrections of a member's rating since the lists before and after a month, in points."""

    member: int
    before: Decimal
    after: Decimal
    by_closure: bool

    @property
    def change(self) -> Decimal:
        """The part of the difference between the two lists."""
        return self.before - self.after


@dataclass(frozen=True, slots=True)
class Flow:
    """The ratings of a category before and after a month, the parts of the difference, the most corrected."""

    category: Category
    before: Scale
    after: Scale
    parts: list[Part]
    corrected: list[Corrected]

    @property
    def change(self) -> Decimal:
        """The change of the sum."""
        return self.after.total - self.before.total


def flows(month: date) -> list[Flow]:
    """Return the flow of each category in a month, between lists, or the ledger where there is none."""
    ends = [
        {one.category: one for one in RatingList.objects.of_month(end)} for end in (month, next_month(month))
    ]
    lists = ":".join(str(one.pk) for end in ends for one in end.values())
    key = f"lab-scale:{month}:{lists}:{mark_of_office()}"
    return cast(list[Flow], cache.get_or_set(key, lambda: list(_flows(month, *ends)), KEPT))


Lists = dict[Category, RatingList]


def _flows(month: date, lists_before: Lists, lists_after: Lists) -> Iterable[Flow]:
    begin, end = beginning_of(month), beginning_of(next_month(month))
    moved = Coalesce(hundredths("after"), Value(0)) - Coalesce(hundredths("before"), Value(0))
    asked: dict[str, Any] = {}
    for number, (_name, reason, _k, of_k) in enumerate(PARTS):
        lines = Q(reason=reason) & of_k
        asked[f"lines_{number}"] = Count("pk", filter=lines)
        asked[f"change_{number}"] = Sum(moved, filter=lines, output_field=IntegerField(), default=0)
    ledger = RatingChange.objects.filter(occurred_at__gt=begin, occurred_at__lte=end).order_by()
    for category in Category:
        sums = ledger.filter(category=category).aggregate(**asked)
        parts = [
            Part(name, reason, k, sums[f"lines_{number}"], from_hundredths(sums[f"change_{number}"]))
            for number, (name, reason, k, _of_k) in enumerate(PARTS)
        ]
        before, after = lists_before.get(category), lists_after.get(category)
        corrected = sorted(_corrected(before, after), key=lambda one: (-abs(one.change), one.member))
        for name, by_closure in ((_("Closed and reopened accounts"), True), (_("Corrections"), False)):
            changes = [one.change for one in corrected if one.by_closure is by_closure]
            parts.append(Part(name, None, "", len(changes), sum(changes, Decimal("0.00"))))
        scales = _scale(category, begin, before), _scale(category, end, after)
        yield Flow(category, *scales, parts, corrected[:NAMED])


def _scale(category: Category, moment: datetime, published: RatingList | None) -> Scale:
    """Return the ratings of a moment as published, or else after its last event in the ledger."""
    rows = standing_at(category, moment).order_by() if published is None else published.entries.order_by()
    rating = hundredths("after" if published is None else "rating")
    found = rows.aggregate(members=Count("pk"), total=Sum(rating), mean=Avg(rating))
    mean = None if found["mean"] is None else from_hundredths(Hundredths(round(found["mean"])))
    return Scale(found["members"], from_hundredths(Hundredths(found["total"] or 0)), mean, published)


def _corrected(before: RatingList | None, after: RatingList | None) -> Iterator[Corrected]:
    """Yield what corrections have changed since these lists, for members whose two changes differ."""
    (then, closed_then), (later, closed_later) = _since(before), _since(after)
    for member in then.keys() | later.keys():
        one, two = then.get(member, 0), later.get(member, 0)
        if one != two:
            by_closure = member in closed_then or member in closed_later
            points = [from_hundredths(Hundredths(each)) for each in (one, two)]
            yield Corrected(member, points[0], points[1], by_closure)


def _since(published: RatingList | None) -> tuple[dict[int, int], set[int]]:
    """Return the hundredths by which the ledger differs from a list, and whom closed accounts changed."""
    if published is None or not (reaching := corrections_of(published)).exists():
        return {}, set()
    closing = reaching.filter(change_set__kind__in=(CloseAccount.name, ReopenAccount.name))
    then = RecalculatedLine.objects.filter(recalculation__in=closing, occurred_at__lte=published.as_of)
    # A line that came back wasn't there before.
    new = LateLine.objects.filter(recalculation__in=closing).values("line")
    back = RatingChange.objects.filter(pk__in=new, occurred_at__lte=published.as_of)
    return corrected_since(published), {
        *then.order_by().values_list("member", flat=True),
        *back.order_by().values_list("member", flat=True),
    }
