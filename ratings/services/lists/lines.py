"""RBB 1.4: rating lists, live, as of a moment, and frozen for a month."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Case, F, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Collate

from ratings.models.ledger import Rating, RatingChange
from ratings.office.fields import hundredths
from ratings.rules.rounding import displayed
from ratings.rules.time_controls import Category

_READ = (
    "member_id",
    "member__username",
    "member__fide_id",
    "member__name",
    "member__title",
    "member__federation",
)
_AT_ONCE = 5_000


class ListLine(NamedTuple):
    """A line of a list; ``exact`` in hundredths, ``rating`` as displayed."""

    position: int
    rank: int
    member_id: int
    username: str
    fide_id: int | None
    name: str
    title: str
    federation: str
    rating: int
    exact: int
    games: int


def rated_rows(
    category: Category, as_of: datetime | None = None, using: str = DEFAULT_DB_ALIAS
) -> QuerySet[Rating] | QuerySet[RatingChange]:
    """Where everybody who is rated stands now, or in which row of the ledger they were at ``as_of`` (UTC)."""
    if as_of is None:
        return Rating.objects.using(using).filter(category=category, rating__isnull=False)
    return standing_at(category, as_of, using=using)


def list_lines(rows: QuerySet[Any]) -> Iterator[ListLine]:
    """These rows of ``Rating`` or of the ledger as a list, streamed.

    It ranks what it shows: members whose displayed ratings are equal share a rank.
    """
    exact = _exact(rows)
    rank, last = 0, None
    for position, (*who, points, games) in enumerate(
        in_list_order(rows).values_list(*_READ, exact, "games").iterator(_AT_ONCE), 1
    ):
        rating = displayed(points)
        if rating != last:
            rank, last = position, rating
        yield ListLine(position, rank, *who, rating, points, games)  # type: ignore[call-arg]  # six of _READ


def in_list_order(rows: QuerySet[Any]) -> QuerySet[Any]:
    """These rows of ``Rating`` or of the ledger by displayed rating, equal ones by name, then by id.

    Names are ordered by code point, so on every database alike.
    """
    by_code_point = "C" if connections[rows.db].vendor == "postgresql" else "BINARY"
    shown = (_exact(rows) + 50) / 100
    return rows.order_by(shown.desc(), Collate("member__name", by_code_point), "member_id")


def _exact(rows: QuerySet[Any]) -> Any:
    return hundredths("rating" if rows.model is Rating else "after")


def standing_at(
    category: Category, moment: datetime, members: int | None = None, using: str = DEFAULT_DB_ALIAS
) -> QuerySet[RatingChange]:
    """The last ledger row at or before a moment of everybody who was rated then; or of some ``members``.

    Who had no later event stands where their last row left them; of the others it is looked up by the index.
    """
    earlier = RatingChange.objects.filter(
        member=OuterRef("member"), category=category, occurred_at__lte=moment
    ).order_by("-occurred_at", "-id")
    last = (
        Rating.objects.using(using)
        .filter(category=category)
        .order_by()
        .annotate(
            then=Case(
                When(last_event_at__lte=moment, then=F("last_change_id")),
                default=Subquery(earlier.values("pk")[:1]),
            )
        )
    )
    return RatingChange.objects.using(using).filter(pk__in=last.values("then")[:members], after__isnull=False)
