"""The rows of the list of members, as files and the API have them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from django.db.models import FilteredRelation, Q, QuerySet

from foa.list_rows import Column, ListRows, text, whole
from members.models import TITLES
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category


def with_ratings(members: QuerySet[Any]) -> Any:
    """Return these members with the relation ``in_rapid`` to their rating in rapid, and so on."""
    in_categories: Any = {
        f"in_{category.slug}": FilteredRelation("ratings", condition=Q(ratings__category=category))
        for category in Category
    }
    return members.annotate(**in_categories)


def _shown(rating: Decimal) -> int:
    return displayed(to_hundredths(rating))


def _rating(category: Category) -> Column:
    """Return the column of displayed ratings (RBB 3.12)."""
    return whole(f"in_{category.slug}__rating", value=_shown, null=True)


# Neither birth year nor sex, which aren't public (decision 0139).
MEMBERS: Final = ListRows(
    "A member with the displayed live ratings; null while unrated.",
    with_ratings,
    username=text(),
    name=text(blank=True),
    fide_id=whole(null=True),
    federation=text(blank=True),
    title=text(choices=TITLES, blank=True),
    **{category.slug: _rating(category) for category in Category},
)
