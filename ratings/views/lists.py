"""The live rating lists: where everybody stands now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.listing import FilteredTableView
from ratings.filters import LiveRatingFilter
from ratings.labels import CATEGORY_NAMES
from ratings.models import Rating
from ratings.rules.time_controls import Category
from ratings.services.exports import LIST_COLUMNS, list_rows
from ratings.services.lists import list_lines
from ratings.tables import LiveRatingTable

__all__ = ["LiveRatingView", "live_ratings"]


def live_ratings(category: Category) -> QuerySet[Rating]:
    """Those who are rated in this category, by exact rating, equal ones by name."""
    return (
        Rating.objects.filter(category=category, rating__isnull=False)
        .select_related("member")
        .order_by("-rating", "member__name", "member__username", "pk")
    )


class LiveRatingView(FilteredTableView):
    """The live rating list of a category."""

    filterset_class = LiveRatingFilter
    table_class = LiveRatingTable
    tie_break = ("member__name", "member__username", "pk")
    csv_columns = LIST_COLUMNS
    intro = _("Where every rated member stands now, by exact rating.")
    category: Category

    def setup(self, request: HttpRequest, *args: Any, category: Category, **kwargs: Any) -> None:
        """Take the category from the address."""
        super().setup(request, *args, **kwargs)
        self.category = category
        self.csv_name = f"{category.slug}-ratings"

    def csv_rows(self, queryset: QuerySet[Any]) -> Iterator[tuple[str, ...]]:
        """By displayed rating, ranked among the members that the filters leave."""
        return list_rows(list_lines(queryset))

    def get_queryset(self) -> QuerySet[Rating]:
        """The rated members of the category."""
        return live_ratings(self.category)

    def get_title(self) -> str:
        """Named after the category."""
        return gettext("%s ratings") % CATEGORY_NAMES[self.category]
