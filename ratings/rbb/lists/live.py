"""RBB 1.4: the rating list of a category as pages show it, now or as of a moment."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import connections, router
from django.db.models import QuerySet

from ratings.rbb.lists.lines import standing_at
from ratings.rbb.models.ledger import Rating, RatingChange
from ratings.rules.time_controls import Category

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
