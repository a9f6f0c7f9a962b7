"""The ledger, and the permanent page of each of its lines."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from foa.web.listing import FilteredTableView
from foa.web.negotiated import NegotiatedView
from ratings.rbb.explanation.lines import explained_line, gone_line, line_after
from ratings.rbb.explanation.sentences import sentence
from ratings.rbb.explanation.sides import other_line, why_they_differ
from ratings.rbb.filters import ChangeFilter
from ratings.rbb.models import RatingChange, RecalculatedLine
from ratings.rbb.tables import ChangeTable


class ChangeListView(FilteredTableView):
    """Every line of the ledger, latest first."""

    queryset = RatingChange.objects.with_events()
    filterset_class = ChangeFilter
    table_class = ChangeTable
    is_long = True
    title = _("Rating changes")
    intro = _("Every event, including those that left the rating unchanged.")
    file_name = "rating-changes"
    noun = "changes"


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


class ChangeView(NegotiatedView[RatingChange]):
    """A line of the ledger, explained, with links to the lines before and after it."""

    template_name = "ratings/change.html"
    context_object_name = "change"
    formats = ()

    def get_queryset(self) -> QuerySet[RatingChange]:
        """Select the line's event, that event's FIDE lists, and whether there are moves."""
        return RatingChange.objects.with_event_of(self.kwargs["pk"]).annotate(has_moves=Q(game__pgn__gt=""))

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the page. A removed line keeps its address, and says why it is gone: 410."""
        try:
            return super().get(request, *args, **kwargs)
        except Http404:
            gone = gone_line(self.kwargs["pk"])
            if gone is None:
                raise
            return _gone(request, gone)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the explanation, the keys of the neighbours in the category, and the opponent's line."""
        return super().get_context_data(
            **explained_line(self.object)._asdict(),
            other=_Other.of(self.object),
            **kwargs,
        )


def _gone(request: HttpRequest, gone: RecalculatedLine) -> HttpResponse:
    """Return the page of a line that a recalculation removed: its values, the decision and the next line."""
    context = {
        "gone": gone,
        "recalculation": gone.recalculation,
        "decision": gone.recalculation.change_set,
        "following": line_after(gone),
    }
    return render(request, "ratings/gone_change.html", context, status=HTTPStatus.GONE)
