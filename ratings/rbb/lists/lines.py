"""RBB 1.4: rating lists, live, at a past moment, and frozen for a month."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import connections
from django.db.models import Case, F, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Collate

from ratings.office.fields import displayed_in, hundredths
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Points


class Standing(NamedTuple):
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


def standings_of(members: Iterable[int], moment: datetime | None = None) -> dict[int, list[Standing]]:
    """Return the standings of these members in the categories with events, now or at a moment (UTC)."""
    found: dict[int, list[Standing]] = {key: [] for key in members}
    rows: QuerySet[Any] = Rating.objects.filter(member__in=list(found)).order_by("category")
    read = ("member", "category", "rating", "games", "last_event_at", "last_change_id")
    if moment is not None:
        keys = [key for key in rows.annotate(then=_last_change(moment)).values_list("then", flat=True) if key]
        rows = RatingChange.objects.filter(pk__in=keys).order_by("category")
        read = ("member", "category", "after", "games", "occurred_at", "pk")
    for member, *standing in rows.values_list(*read):
        found[member].append(Standing(*standing))
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
