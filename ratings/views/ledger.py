"""The ledger, and the permanent page of each of its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from foa.spreadsheet import Cell
from foa.web.listing import FilteredTableView
from foa.web.negotiated import NegotiatedView
from ratings.explanation import explain
from ratings.filters import ChangeFilter
from ratings.models import RatingChange
from ratings.services.lists.exports import CHANGE_COLUMNS, change_rows
from ratings.tables import ChangeTable
from ratings.views.as_json import change_json


class ChangeListView(FilteredTableView):
    """Every line of the ledger, latest first."""

    queryset = RatingChange.objects.with_events()
    filterset_class = ChangeFilter
    table_class = ChangeTable
    title = _("Rating changes")
    intro = _("One line for every member and event, also when the rating did not move.")
    file_name = "rating-changes"
    noun = "changes"
    columns = CHANGE_COLUMNS

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        """As the page is sorted."""
        return change_rows(queryset)


class ChangeView(NegotiatedView[RatingChange]):
    """One line of the ledger, explained, with the way to the lines before and after it. HTML or JSON."""

    template_name = "ratings/change.html"
    context_object_name = "change"

    def get_queryset(self) -> QuerySet[RatingChange]:
        """With the event it is about, and the FIDE lists that an opening or adjustment comes from."""
        return RatingChange.objects.with_events().select_related(
            "opening__first_rating__fide_list", "adjustment__announced"
        )

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The line, its explanation, and the keys of its neighbours in the same category."""
        row = self.object
        rows = RatingChange.objects.filter(member=row.member_id, category=row.category)
        return super().get_context_data(
            explanation=explain(row),
            previous=rows.earlier_than(row).values_list("pk", flat=True).first(),
            following=rows.later_than(row).values_list("pk", flat=True).first(),
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """The same."""
        return change_json(
            self.object,
            context["explanation"],
            previous=context["previous"],
            following=context["following"],
        )
