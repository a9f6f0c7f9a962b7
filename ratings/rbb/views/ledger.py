"""The ledger, and the permanent page of each of its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.generic import TemplateView

from foa.spreadsheet import Cell
from foa.web.listing import FilteredTableView
from foa.web.negotiated import Negotiated, NegotiatedView
from ratings.rbb.as_json import change_json, gone_change_json
from ratings.rbb.explanation.lines import explained_line, gone_line, line_after
from ratings.rbb.explanation.sentences import sentence
from ratings.rbb.explanation.sides import other_line, why_they_differ
from ratings.rbb.filters import ChangeFilter
from ratings.rbb.lists.exports import CHANGE_COLUMNS, change_rows
from ratings.rbb.models import RatingChange, RecalculatedLine
from ratings.rbb.tables import ChangeTable


class ChangeListView(FilteredTableView):
    """Every line of the ledger, latest first."""

    queryset = RatingChange.objects.with_events()
    filterset_class = ChangeFilter
    table_class = ChangeTable
    is_long = True
    title = _("Rating changes")
    intro = _("One line for every member and event, also when the rating did not move.")
    file_name = "rating-changes"
    noun = "changes"
    columns = CHANGE_COLUMNS

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return change_rows(queryset)


class _Other(NamedTuple):
    """The opponent's line of a game, and the reason if its change isn't the reverse of the member's.

    ``why`` is empty if it is, or if the member's own explanation gives the reason.
    """

    line: RatingChange
    why: str

    @classmethod
    def of(cls, line: RatingChange) -> _Other | None:
        other = other_line(line)
        if other is None:
            return None
        return cls(other, sentence(other) if line.before is None else why_they_differ(line, other))


class _GoneError(Exception):
    """An error for a line that is no longer in the ledger."""

    def __init__(self, line: RecalculatedLine) -> None:
        super().__init__(line)
        self.line = line


class ChangeView(NegotiatedView[RatingChange]):
    """A line of the ledger, explained, with links to the lines before and after it. HTML or JSON."""

    template_name = "ratings/change.html"
    context_object_name = "change"

    def get_queryset(self) -> QuerySet[RatingChange]:
        """Select the line's event, that event's FIDE lists, and whether there are moves."""
        return RatingChange.objects.with_event_of(self.kwargs["pk"]).annotate(has_moves=Q(game__pgn__gt=""))

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the page. A removed line keeps its address, and says why it is gone: 410."""
        try:
            return super().get(request, *args, **kwargs)
        except _GoneError as gone:
            view = GoneChangeView(gone.line)
            view.setup(request, *args, **kwargs)
            return view.get(request, *args, **kwargs)

    def get_object(self, queryset: QuerySet[RatingChange] | None = None) -> RatingChange:
        """Return the line."""
        try:
            return super().get_object(queryset)
        except Http404:
            gone = gone_line(self.kwargs["pk"])
            if gone is None:
                raise
            raise _GoneError(gone) from None

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the explanation, the keys of the neighbours in the category, and the opponent's line."""
        return super().get_context_data(
            **explained_line(self.object)._asdict(),
            # Only the HTML page needs it.
            other=partial(_Other.of, self.object),
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        return change_json(
            self.object,
            context["explanation"],
            previous=context["previous"],
            following=context["following"],
            decisions=context["decisions"],
        )


class GoneChangeView(Negotiated, TemplateView):
    """A line that a recalculation removed from the ledger: its values, the reason and the next line."""

    template_name = "ratings/gone_change.html"
    gone: RecalculatedLine

    def __init__(self, gone: RecalculatedLine) -> None:
        super().__init__()
        self.gone = gone

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return a page or JSON, with status 410."""
        response = super().get(request, *args, **kwargs)
        if response.status_code == HTTPStatus.OK:
            response.status_code = HTTPStatus.GONE
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the line as it was, the decision that removed it, and the member's next line."""
        gone = self.gone
        return super().get_context_data(
            gone=gone,
            recalculation=gone.recalculation,
            decision=gone.recalculation.change_set,
            following=line_after(gone),
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        return gone_change_json(context["gone"], context["following"])
