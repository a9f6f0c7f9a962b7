"""RBB 1.4: rating lists, live, as of a moment, and frozen for a month."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import ExpressionWrapper, F, IntegerField, QuerySet, Window
from django.db.models.functions import Collate, RowNumber

from ratings.models.ledger import Rating, RatingChange
from ratings.models.lists import RatingList, RatingListEntry
from ratings.rules.rounding import displayed, from_hundredths
from ratings.rules.time_controls import Category

__all__ = ["ListLine", "list_lines", "publish", "published_lines", "rating_list"]

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


def published_lines(entries: QuerySet[RatingListEntry]) -> Iterator[ListLine]:
    """Lines of a published list as they were frozen, streamed."""
    hundredths = ExpressionWrapper(F("rating"), IntegerField())
    rows = entries.select_related(None).values_list("position", "rank", *_READ, hundredths, "games")
    for position, rank, *who, points, games in rows.iterator(_AT_ONCE):
        yield ListLine(position, rank, *who, displayed(points), points, games)  # type: ignore[call-arg]


def publish(
    *, category: Category, month: datetime, at: datetime, using: str = DEFAULT_DB_ALIAS
) -> tuple[RatingList, bool]:
    """Freeze the list of a month, the state at 00:00 UTC on its first day; False if that was done before."""
    with transaction.atomic(using=using):
        published, new = RatingList.objects.using(using).get_or_create(
            category=category,
            month=month.date(),
            revision=1,
            defaults={"published_at": at, "members": 0, "checksum": ""},
        )
        if not new:
            return published, False
        digest = hashlib.sha256()
        entries = []
        for line in rating_list(category, month, using):
            digest.update(repr(line[1:]).encode())
            entries.append(
                RatingListEntry(
                    rating_list=published,
                    position=line.position,
                    rank=line.rank,
                    member_id=line.member_id,
                    rating=from_hundredths(line.exact),  # type: ignore[misc]  # a HundredthsField
                    games=line.games,
                )
            )
        RatingListEntry.objects.using(using).bulk_create(entries, batch_size=_AT_ONCE)
        published.members = len(entries)
        published.checksum = digest.hexdigest()
        published.save()
    return published, True


def _standing_at(category: Category, moment: datetime, using: str) -> QuerySet[RatingChange]:
    """The last ledger row at or before a moment of everybody who was rated then."""
    latest = (
        RatingChange.objects.using(using)
        .filter(category=category, occurred_at__lte=moment)
        .annotate(
            latest=Window(
                RowNumber(), partition_by="member", order_by=[F("occurred_at").desc(), F("id").desc()]
            )
        )
        .filter(latest=1)
    )
    # Asked of the latest rows only: in the same filter it would be asked first, and whoever lost his rating
    # (RBB 3.3) would stand with the last one he had.
    return RatingChange.objects.using(using).filter(pk__in=latest.values("pk"), after__isnull=False)
