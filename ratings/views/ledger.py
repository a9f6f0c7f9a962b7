"""The ledger, and the permanent page of each of its lines."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from foa.web.listing import FilteredTableView
from foa.web.typed import DetailView
from ratings.explanation import explain
from ratings.filters import ChangeFilter
from ratings.models import RatingChange
from ratings.tables import ChangeTable

__all__ = ["ChangeListView", "ChangeView"]


class ChangeListView(FilteredTableView):
    """Every line of the ledger, latest first."""

    queryset = RatingChange.objects.with_events()
    filterset_class = ChangeFilter
    table_class = ChangeTable
    title = _("Rating changes")
    intro = _("One line for every member and event, also when the rating did not move.")


class ChangeView(DetailView[RatingChange]):
    """One line of the ledger, explained."""

    template_name = "ratings/change.html"
    context_object_name = "change"

    def get_queryset(self) -> QuerySet[RatingChange]:
        """With the event it is about."""
        return RatingChange.objects.with_events()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The line and its explanation."""
        return super().get_context_data(explanation=explain(self.object), **kwargs)
