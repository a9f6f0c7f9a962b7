"""Rating lists: where everybody stands now, and where he stood when a list was published."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.listing import FilteredTableView
from ratings.filters import LiveRatingFilter, PublishedListFilter
from ratings.labels import CATEGORY_NAMES
from ratings.models import Rating, RatingList, RatingListEntry
from ratings.rules.time_controls import Category
from ratings.services.exports import LIST_COLUMNS, list_rows
from ratings.services.lists import list_lines, published_lines
from ratings.tables import LiveRatingTable, PublishedListTable

__all__ = ["LiveRatingView", "PublishedListView", "latest_lists", "live_ratings"]


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


def latest_lists() -> list[RatingList]:
    """The latest published list of each category, in the order of the categories."""
    found = (
        RatingList.objects.filter(category=category).order_by("-month", "-revision").first()
        for category in Category
    )
    return [published for published in found if published is not None]


class PublishedListView(FilteredTableView):
    """RBB 1.4: the published list of a category for a month, its last revision."""

    filterset_class = PublishedListFilter
    table_class = PublishedListTable
    template_name = "ratings/published_list.html"
    csv_columns = LIST_COLUMNS
    published: RatingList

    def setup(self, request: HttpRequest, *args: Any, category: Category, month: date, **kwargs: Any) -> None:
        """Find the list, or there is no such page."""
        super().setup(request, *args, **kwargs)
        published = RatingList.objects.filter(category=category, month=month).order_by("-revision").first()
        if published is None:
            raise Http404(gettext("This list was not published."))
        self.published = published
        self.csv_name = f"{category.slug}-{month:%Y-%m}"

    def get_queryset(self) -> QuerySet[RatingListEntry]:
        """Its lines by position."""
        return self.published.entries.select_related("member").order_by("position")

    def get_title(self) -> str:
        """Named after category and month."""
        names = {
            "category": CATEGORY_NAMES[self.published.category],
            "month": f"{self.published.month:%Y-%m}",
        }
        return gettext("%(category)s list of %(month)s") % names

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """When it was frozen, beside the lines."""
        return super().get_context_data(published=self.published, **kwargs)

    def csv_rows(self, queryset: QuerySet[Any]) -> Iterator[tuple[str, ...]]:
        """With the ranks of the whole list."""
        return list_rows(published_lines(queryset))
