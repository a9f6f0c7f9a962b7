"""The live rating lists: all members' ratings now, and at any earlier moment (RBB 1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django_tables2 import Table

from foa.moments import asked_moment
from foa.text import utc
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.paging import Page, page_of
from ratings.rbb.filters import LiveRatingFilter
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.lists.as_of import (
    TIE_BREAK,
    StandingSince,
    basis_of,
    live_ratings,
    look_back,
    ratings_as_of,
    standing_at,
)
from ratings.rbb.lists.distribution import ranks
from ratings.rbb.lists.files import LIST_FORMATS, ListFile, current_list_file
from ratings.rbb.lists.trends import last_lists
from ratings.rbb.models import RatingList
from ratings.rbb.tables import LiveRatingTable, PastRatingTable
from ratings.rbb.views.member_lists import MemberFilteredView
from ratings.rbb.views.published import set_trends, shown_on
from ratings.rules.time_controls import Category

_SOME_MEMBERS: Final = 100_000
"""Number of members looked up first, in a tenth of a second on any list, in case a past list is too long for
a file."""


class LiveRatingView(MemberFilteredView):
    """The live rating list of a category; ``?as_of=T`` looks back to a moment."""

    filterset_class = LiveRatingFilter
    template_name = "ratings/live.html"
    tie_break = TIE_BREAK
    formats = LIST_FORMATS
    categories = tuple(Category)
    category: Category
    as_of: datetime | None

    def setup(self, request: HttpRequest, *args: Any, category: Category, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.category = category
        self.as_of = asked_moment(request.GET)

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:live_ratings", {"category": self.category.slug})

    def file(self, queryset: QuerySet[Any]) -> ListFile:
        """Return the list's file: by displayed rating, ranked among the members that match the filters."""
        if self.as_of is None:
            return current_list_file(self.category, queryset)
        some = self.filtered(standing_at(self.category, self.as_of, _SOME_MEMBERS))
        return current_list_file(self.category, queryset, self.as_of, some)

    def get_queryset(self) -> QuerySet[Any]:
        """Return the members of the category who are rated, or were at the moment."""
        if self.as_of is None:
            return live_ratings(self.category)
        return ratings_as_of(self.category, self.as_of)

    def page(self, queryset: QuerySet[Any]) -> Page:
        """Return the page. By rating, a page at a past moment starts from the last list before it."""
        by_rating = str(queryset.query.order_by[0]).removeprefix("-") == "after"
        basis = basis_of(self.category, self.as_of) if self.as_of and by_rating else None
        if self.as_of is None or basis is None:
            return super().page(queryset)
        first_rows = StandingSince(basis, self.as_of, self.filtered)
        return page_of(queryset, self.request.GET, self.number_of_rows, first_rows)

    def filtered(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return members' rows restricted by the page's filters, or all rows without filters."""
        return self.filterset.filter_queryset(queryset) if self.filterset.is_bound else queryset

    def get_filterset_kwargs(self, filterset_class: type[Any]) -> dict[str, Any]:
        """Add the moment at which the last twelve months end."""
        return {**super().get_filterset_kwargs(filterset_class), "as_of": self.as_of}

    @cached_property
    def lists(self) -> list[RatingList]:
        """The last published lists before the displayed ratings."""
        return last_lists(self.category, self.as_of)

    def get_table_kwargs(self) -> dict[str, Any]:
        return {"length": self.lists[-1].members if self.lists else 0}

    def complete(self, table: Table, rows: Sequence[Any]) -> None:
        """Add ranks, and these members' ratings on the previous lists."""
        set_trends(table, rows, self.lists)
        for row, rank in zip(rows, self._ranks(rows), strict=False):
            row.rank = rank
        if not hasattr(rows[0] if rows else None, "rank"):
            table.columns.hide("rank")
            # A phone would keep its narrow column, for the names.
            table.sizes = ""

    def _ranks(self, rows: Sequence[Any]) -> Sequence[int]:
        """Return the ranks of the rows; without any where they'd be slow."""
        moved = {"after", "before", "sort"} & self.request.GET.keys()
        return ranks(
            self.category,
            [shown_on(row) for row in rows],
            is_top=not self.filterset.is_bound and not moved,
            is_now=self.as_of is None,
        )

    def get_table_class(self) -> type[Table]:
        """Return the table for ratings, or for lines of the ledger."""
        return LiveRatingTable if self.as_of is None else PastRatingTable

    def get_title(self) -> str:
        """Return the title with the category, and the moment if any."""
        if self.as_of is None:
            return gettext("%s ratings") % CATEGORY_NAMES[self.category]
        return gettext("%(category)s ratings on %(moment)s") % {
            "category": CATEGORY_NAMES[self.category],
            "moment": utc(self.as_of),
        }

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        back = None if self.as_of is None else look_back(self.as_of, [self.category])
        return super().get_context_data(look_back=back, **kwargs)
