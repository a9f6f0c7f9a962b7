"""The live rating lists: where everybody stands now, and where he stood at any moment (RBB 1.4)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django_tables2 import Table

from foa.moments import asked_moment
from foa.text import utc
from foa.web.listing import FilteredTableView
from foa.web.paging import Page, page_of
from ratings.filters import LiveRatingFilter
from ratings.labels import CATEGORY_NAMES
from ratings.rules.time_controls import Category
from ratings.services.lists.basis import StandingSince, basis_of
from ratings.services.lists.files import LIST_FORMATS, ListFile, current_list_file
from ratings.services.lists.lines import standing_at
from ratings.services.lists.live import TIE_BREAK, live_ratings, ratings_as_of
from ratings.services.lists.looking_back import look_back
from ratings.tables import LiveRatingTable, PastRatingTable

_SOME_MEMBERS: Final = 100_000
"""Looked up first where a file as of a moment may be too long: in a tenth of a second, on any list."""


class LiveRatingView(FilteredTableView):
    """The live rating list of a category; ``?as_of=T`` looks back to a moment."""

    filterset_class = LiveRatingFilter
    template_name = "ratings/live.html"
    tie_break = TIE_BREAK
    formats = LIST_FORMATS
    category: Category
    as_of: datetime | None

    def setup(self, request: HttpRequest, *args: Any, category: Category, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.category = category
        self.as_of = asked_moment(request.GET)

    def file(self, queryset: QuerySet[Any]) -> ListFile:
        """By displayed rating, ranked among the members that the filters leave."""
        if self.as_of is None:
            return current_list_file(self.category, queryset)
        some = self.filtered(standing_at(self.category, self.as_of, _SOME_MEMBERS))
        return current_list_file(self.category, queryset, self.as_of, some)

    def get_queryset(self) -> QuerySet[Any]:
        """The members of the category who are rated, or were then."""
        if self.as_of is None:
            return live_ratings(self.category)
        return ratings_as_of(self.category, self.as_of)

    def page(self, queryset: QuerySet[Any]) -> Page:
        """By rating, a page as of a moment starts from the last list before it."""
        by_rating = str(queryset.query.order_by[0]).removeprefix("-") == "after"
        basis = basis_of(self.category, self.as_of) if self.as_of and by_rating else None
        if self.as_of is None or basis is None:
            return super().page(queryset)
        first_rows = StandingSince(basis, self.as_of, self.filtered)
        return page_of(queryset, self.request.GET, self.rows_per_page, first_rows)

    def filtered(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Rows of members as the filters of the page narrow them; all, where it sets none."""
        return self.filterset.filter_queryset(queryset) if self.filterset.is_bound else queryset

    def get_filterset_kwargs(self, filterset_class: type[Any]) -> dict[str, Any]:
        """The moment that the last twelve months end with."""
        return {**super().get_filterset_kwargs(filterset_class), "as_of": self.as_of}

    def get_table_class(self) -> type[Table]:
        """The rows are ratings, or lines of the ledger."""
        return LiveRatingTable if self.as_of is None else PastRatingTable

    def get_title(self) -> str:
        """Named after the category, and after the moment."""
        if self.as_of is None:
            return gettext("%s ratings") % CATEGORY_NAMES[self.category]
        return gettext("%(category)s ratings as of %(moment)s") % {
            "category": CATEGORY_NAMES[self.category],
            "moment": utc(self.as_of),
        }

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        back = None if self.as_of is None else look_back(self.as_of, [self.category])
        return super().get_context_data(look_back=back, **kwargs)
