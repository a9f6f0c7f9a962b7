"""RBB 1.4: rating lists, live, as of a moment, and frozen for a month."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Case, ExpressionWrapper, F, IntegerField, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Collate

from ratings.models.ledger import Rating, RatingChange
from ratings.models.lists import RatingListEntry
from ratings.rules.rounding import displayed
from ratings.rules.time_controls import Category

__all__ = ["ListLine", "PublishedLine", "list_lines", "published_lines", "rating_list"]

_READ = (
    "member_id", "member__username", "member__fide_id", "member__name", "member__title", "member__federation",
)  # fmt: skip
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


class PublishedLine(NamedTuple):
    """A line of a published list; ``previous`` as displayed on the list before, None if he was not on it."""

    line: ListLine
    previous: int | None
    period_games: int
    k: int | None


def rating_list(
    category: Category, as_of: datetime | None = None, using: str = DEFAULT_DB_ALIAS
) -> Iterator[ListLine]:
    """The list of a category, now or after the last result that had ended at ``as_of`` (UTC)."""
    if as_of is None:
        return list_lines(Rating.objects.using(using).filter(category=category, rating__isnull=False))
    return list_lines(_standing_at(category, as_of, using))


def list_lines(rows: QuerySet[Any]) -> Iterator[ListLine]:
    """These rows of ``Rating`` or of the ledger as a list, streamed.

    It ranks what it shows: members whose displayed ratings are equal share a rank and stand in the order of
    their names, then of their ids. Names are ordered by code point, so on every database alike.
    """
    exact = "rating" if rows.model is Rating else "after"
    hundredths = ExpressionWrapper(F(exact), IntegerField())
    by_code_point = "C" if connections[rows.db].vendor == "postgresql" else "BINARY"
    shown = (hundredths + 50) / 100
    rows = rows.order_by(shown.desc(), Collate("member__name", by_code_point), "member_id")
    rank, last = 0, None
    for position, (*who, points, games) in enumerate(
        rows.values_list(*_READ, hundredths, "games").iterator(_AT_ONCE), 1
    ):
        rating = displayed(points)
        if rating != last:
            rank, last = position, rating
        yield ListLine(position, rank, *who, rating, points, games)  # type: ignore[call-arg]  # six of _READ


def published_lines(entries: QuerySet[RatingListEntry]) -> Iterator[PublishedLine]:
    """Lines of a published list as they were frozen, streamed."""
    hundredths, previous = (ExpressionWrapper(F(name), IntegerField()) for name in ("rating", "previous"))
    rows = entries.select_related(None).values_list(
        "position", "rank", *_READ, hundredths, "games", previous, "period_games", "k"
    )
    for position, rank, *who, exact, games, before, period_games, k in rows.iterator(_AT_ONCE):
        line = ListLine(position, rank, *who, displayed(exact), exact, games)  # type: ignore[call-arg]
        yield PublishedLine(line, None if before is None else displayed(before), period_games, k)


def _standing_at(category: Category, moment: datetime, using: str) -> QuerySet[RatingChange]:
    """The last ledger row at or before a moment of everybody who was rated then.

    Who had no later event stands where his last row left him; of the others it is looked up by the index.
    """
    earlier = RatingChange.objects.filter(
        member=OuterRef("member"), category=category, occurred_at__lte=moment
    ).order_by("-occurred_at", "-id")
    last = (
        Rating.objects.using(using)
        .filter(category=category)
        .annotate(
            then=Case(
                When(last_event_at__lte=moment, then=F("last_change_id")),
                default=Subquery(earlier.values("pk")[:1]),
            )
        )
    )
    return RatingChange.objects.using(using).filter(pk__in=last.values("then"), after__isnull=False)
