"""RBB 1.4: the ratings of a category, now or at a past moment, page by page; and what was corrected since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.db import connections, router
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.expressions import OrderBy
from django.db.models.functions import Collate
from django.utils import timezone

from ratings.office.fields import displayed_in, hundredths
from ratings.office.models import ChangeSet
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rbb.models.lists import RatingList, RatingListEntry
from ratings.rbb.models.recalculations import SETTLED_AFTER, Recalculation
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Points

TIE_BREAK: Final = ("member__name", "member__username", "member_id")
"""Paths that exist in ratings, ledger lines and list lines alike."""

LAST_RANK: Final = 1_000
"""Maximum live rank that is looked up, because it means counting the members above."""

# One statement for all categories. A displayed rating is the exact one, rounded half up (RBB 3.12), so a
# higher one begins half a point above it.
_HIGHER: Final = """
SELECT own.category, (
    SELECT COUNT(*) FROM (
        SELECT 1 FROM ratings_rating AS other
        WHERE other.category = own.category AND other.rating >= (own.rating + 50) / 100 * 100 + 50
        LIMIT %(most)s
    ) AS higher
)
FROM ratings_rating AS own WHERE own.member_id = %(member)s AND own.rating IS NOT NULL
"""


def live_ratings(category: Category) -> QuerySet[Rating]:
    """Return the ratings in this category, by exact rating, equal ones by name."""
    rows = Rating.objects.filter(category=category, rating__isnull=False)
    return rows.select_related("member").order_by("-rating", *TIE_BREAK)


def ratings_as_of(category: Category, moment: datetime) -> QuerySet[RatingChange]:
    """Return the last ledger lines of the members rated then, in the same order."""
    return standing_at(category, moment).select_related("member").order_by("-after", *TIE_BREAK)


def live_ranks(member: int) -> dict[Category, int]:
    """Return the rank among the live ratings of each category, if it is at most ``LAST_RANK``.

    As on a list, members with equal displayed ratings share a rank.
    """
    with connections[router.db_for_read(Rating)].cursor() as cursor:
        cursor.execute(_HIGHER, {"member": member, "most": LAST_RANK})
        return {Category(category): higher + 1 for category, higher in cursor if higher < LAST_RANK}


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


_TOLD: Final = 100
"""Maximum number counted."""


@dataclass(frozen=True, slots=True)
class LookBack:
    """Later corrections to the ratings at a past moment.

    ``settled``: all earlier results are in, or would be registered if they came now. ``entries``: the
    register's entries that have affected the moment since then, latest first (``more``: at least these).
    ``last``: the last recalculation by one of them; ``late``: the last one by a late result that was its
    players' newest, and so has no entry.
    """

    moment: datetime
    settled: bool
    entries: list[ChangeSet]
    more: bool
    last: Recalculation | None
    late: Recalculation | None


def look_back(moment: datetime, categories: Sequence[Category]) -> LookBack:
    """Return what has changed about the ratings of this moment in these categories."""
    reaching = Recalculation.objects.filter(category__in=categories).after_settling(moment)
    found = list(reaching.select_related("change_set")[: _TOLD + 1])
    told = found[:_TOLD]
    return LookBack(
        moment,
        settled=timezone.now() - moment >= SETTLED_AFTER,
        # One for each category makes one decision.
        entries=list(dict.fromkeys(one.change_set for one in told if one.change_set)),
        more=len(found) > _TOLD,
        last=next((one for one in told if one.change_set_id), None),
        late=next((one for one in told if one.change_set_id is None), None),
    )


def recalculated_at(category: Category, moment: datetime) -> datetime | None:
    """Return when a correction last changed the ledger for this moment, or None."""
    last = Recalculation.objects.filter(category=category).after_settling(moment).first()
    return None if last is None else last.at


class StandingAt(NamedTuple):
    """A member's standing in a category. ``rating``: exact, None while unrated."""

    category: Category
    rating: Decimal | None
    games: int
    last_event_at: datetime
    last_change: int

    @property
    def displayed(self) -> Points | None:
        """RBB 3.12: the displayed rating."""
        return None if self.rating is None else displayed(to_hundredths(self.rating))


def in_list_order(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Order rows of ``Rating`` or of the ledger by ``displayed_rating``, equal ones by name, then by id.

    Names are ordered by code point, so the order is the same on every database.
    """
    by_code_point = "C" if connections[rows.db].vendor == "postgresql" else "BINARY"
    rows = rows.annotate(displayed_rating=displayed_in("rating" if rows.model is Rating else "after"))
    return rows.order_by("-displayed_rating", Collate("member__name", by_code_point), "member_id")


def exact_rating(rows: QuerySet[Any]) -> Any:
    """Return the column of exact ratings, in hundredths, in rows of ``Rating`` or of the ledger."""
    return hundredths("rating" if rows.model is Rating else "after")


def standing_at(category: Category, moment: datetime, members: int | None = None) -> QuerySet[RatingChange]:
    """Return the last ledger row up to a moment of all members rated then, or of some ``members``.

    Without a later event it is the member's last row; for others it is looked up by the index.
    """
    last = Rating.objects.filter(category=category).order_by().annotate(then=_last_change(moment))
    return RatingChange.objects.filter(pk__in=last.values("then")[:members], after__isnull=False)


def standings_of(members: Iterable[int], moment: datetime | None = None) -> dict[int, list[StandingAt]]:
    """Return the standings of these members in the categories with events, now or at a moment (UTC)."""
    found: dict[int, list[StandingAt]] = {key: [] for key in members}
    rows: QuerySet[Any] = Rating.objects.filter(member__in=list(found)).order_by("category")
    read = ("member", "category", "rating", "games", "last_event_at", "last_change_id")
    if moment is not None:
        keys = [key for key in rows.annotate(then=_last_change(moment)).values_list("then", flat=True) if key]
        rows = RatingChange.objects.filter(pk__in=keys).order_by("category")
        read = ("member", "category", "after", "games", "occurred_at", "pk")
    for member, *standing in rows.values_list(*read):
        found[member].append(StandingAt(*standing))
    return found


def _last_change(moment: datetime) -> Case:
    """Return the key of the last ledger line at or before a moment, for a row of ``Rating``."""
    earlier = RatingChange.objects.filter(
        member=OuterRef("member"), category=OuterRef("category"), occurred_at__lte=moment
    ).order_by("-occurred_at", "-id")
    return Case(
        When(last_event_at__lte=moment, then=F("last_change_id")),
        default=Subquery(earlier.values("pk")[:1]),
    )
