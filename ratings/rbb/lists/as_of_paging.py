"""RBB 1.4: pages of ratings at a past moment, from the last list before it and the ledger's later lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import OrderBy

from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.lists import RatingList, RatingListEntry
from ratings.rules.time_controls import Category


def basis_of(category: Category, moment: datetime) -> RatingList | None:
    """Return the last list up to a moment with which the ledger still agrees; None if there is none."""
    return RatingList.objects.agreeing().filter(category=category).until(moment).newest_first().first()


@dataclass(frozen=True, slots=True)
class StandingSince:
    """The reader of a page's rows at a past moment, from the ``basis`` list and later lines.

    Members without a line since ``basis`` are found by that list's index of ratings, the others among the
    lines since. ``filtered`` filters rows that have a member, ``games`` and ``category`` as the page does.
    The figures on a page are always the ledger's; the list only tells who is on the page.
    """

    basis: RatingList
    moment: datetime
    filtered: Callable[[QuerySet[Any]], QuerySet[Any]]

    def __call__(
        self, rows: QuerySet[Any], part: Q, order: Sequence[OrderBy], number: int
    ) -> QuerySet[RatingChange]:
        """Return the first rows of a part in this order, which begins with the rating."""
        ledger = RatingChange.objects.filter(category=self.basis.category)
        of_member = ledger.filter(member=OuterRef("member"))
        since = Q(occurred_at__gt=self.basis.as_of, occurred_at__lte=self.moment)
        last = of_member.until(self.basis.as_of).order_by("-occurred_at", "-id")
        listed = RatingListEntry.objects.filter(~Exists(of_member.filter(since)), rating_list=self.basis)
        found = list(
            self.filtered(listed.annotate(category=Value(int(self.basis.category)), after=F("rating")))
            .filter(part)
            .order_by(*order)
            .values_list("after", Subquery(last.values("pk")[:1]))[:number]
        )
        moved = self.filtered(ledger.filter(since, after__isnull=False)).filter(part)
        if len(found) == number:
            # No row after the last of them is on the page, so few of the later lines have to be checked.
            beyond = "after__gte" if order[0].descending else "after__lte"
            moved = moved.filter(**{beyond: found[-1][0]})
        later = of_member.until(self.moment).filter(
            Q(occurred_at__gt=OuterRef("occurred_at"))
            | Q(occurred_at=OuterRef("occurred_at"), pk__gt=OuterRef("pk"))
        )
        moved = moved.filter(~Exists(later)).order_by(*order)
        keys = [*(key for _rating, key in found), *moved.values_list("pk", flat=True)[:number]]
        return RatingChange.objects.filter(pk__in=keys).select_related("member").order_by(*order)[:number]
