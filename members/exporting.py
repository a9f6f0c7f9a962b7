"""Members as rows of a file."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from django.db.models import FilteredRelation, Q, QuerySet

from foa.web.spreadsheet import csv_cell
from members.models import Member
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category

__all__ = ["MEMBER_COLUMNS", "member_rows"]

_FACTS: Final = ("username", "name", "fide_id", "federation", "sex", "birth_year", "title")
MEMBER_COLUMNS: Final = (*_FACTS, *(category.slug for category in Category))
_AT_ONCE = 5_000


def member_rows(members: QuerySet[Member]) -> Iterator[tuple[str, ...]]:
    """Members in MEMBER_COLUMNS, with their displayed ratings (RBB 3.12), safe for spreadsheets; streamed."""
    in_categories = {
        f"in_{category.slug}": FilteredRelation("ratings", condition=Q(ratings__category=category))
        for category in Category
    }
    rows = (
        members.prefetch_related(None)
        .annotate(**in_categories)
        .values_list(*_FACTS, *(f"{name}__rating" for name in in_categories))
    )
    for username, name, *facts, rapid, blitz, bullet in rows.iterator(_AT_ONCE):
        yield (
            csv_cell(username), csv_cell(name), *("" if fact is None else str(fact) for fact in facts),
            _shown(rapid), _shown(blitz), _shown(bullet),
        )  # fmt: skip


def _shown(rating: Decimal | None) -> str:
    return "" if rating is None else str(displayed(to_hundredths(rating)))
