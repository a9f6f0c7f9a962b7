"""RBB 1.4: the rating list of a category as pages show it, now or as of a moment."""

from __future__ import annotations

from datetime import datetime
from typing import Final, cast

from django.db.models import QuerySet

from ratings.models.ledger import Rating, RatingChange
from ratings.rules.time_controls import Category
from ratings.services.lists.lines import rated_rows

TIE_BREAK: Final = ("member__name", "member__username", "member_id")
"""Paths that ratings, lines of the ledger and lines of lists have alike."""


def live_ratings(category: Category) -> QuerySet[Rating]:
    """Those who are rated in this category, by exact rating, equal ones by name."""
    rows = cast(QuerySet[Rating], rated_rows(category))
    return rows.select_related("member").order_by("-rating", *TIE_BREAK)


def ratings_as_of(category: Category, moment: datetime) -> QuerySet[RatingChange]:
    """Those who were rated then, as their last line of the ledger says, in the same order."""
    rows = cast(QuerySet[RatingChange], rated_rows(category, moment))
    return rows.select_related("member").order_by("-after", *TIE_BREAK)
