"""Rows of files of members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from django.db.models import FilteredRelation, Q, QuerySet

from foa.spreadsheet import Cell
from members.models import Member
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category

_FACTS: Final = ("username", "name", "fide_id", "federation", "title")
"""Public columns: neither birth year nor sex (decision 0139)."""

MEMBER_COLUMNS: Final = (*_FACTS, *(category.slug for category in Category))
_AT_ONCE = 5_000


def member_rows(members: QuerySet[Member]) -> Iterator[Sequence[Cell]]:
    """Yield members in MEMBER_COLUMNS, with their displayed ratings (RBB 3.12)."""
    in_categories = {
        f"in_{category.slug}": FilteredRelation("ratings", condition=Q(ratings__category=category))
        for category in Category
    }
    rows = (
        members.prefetch_related(None)
        .annotate(**in_categories)
        .values_list(*_FACTS, *(f"{name}__rating" for name in in_categories))
    )
    for *facts, rapid, blitz, bullet in rows.iterator(_AT_ONCE):
        yield (*facts, _shown(rapid), _shown(blitz), _shown(bullet))


def _shown(rating: Decimal | None) -> int | None:
    return None if rating is None else displayed(to_hundredths(rating))
