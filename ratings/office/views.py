"""The public register: what the office decided, when and why, and whose ratings moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _

from foa.spreadsheet import Cell
from foa.text import utc_text
from foa.web.listing import FilteredTableView
from ratings.office.decision_types import kind_of
from ratings.office.effects import Shown
from ratings.office.filters import MovedFilter, RegisterFilter
from ratings.office.models import ChangeSet, MovedRating
from ratings.office.page_sections import Page, sections_of
from ratings.office.tables import MovedTable, RegisterTable
from ratings.rules.rounding import from_hundredths, points_or_none
from ratings.rules.units import Hundredths

_AT_ONCE = 500


class RegisterView(FilteredTableView):
    """List of applied decisions, latest first. It shows neither staff notes nor who decided."""

    filterset_class = RegisterFilter
    table_class = RegisterTable
    template_name = "office/register.html"
    tie_break = ("-applied_at", "-pk")
    title = _("Register of decisions")
    intro = _("What the office decided, and how many ratings each decision moved.")
    file_name = "decisions"
    noun = "decisions"
    columns = ("id", "applied_at", "kind", "decision", "reason", "why", "moved", "largest", "takes_back")

    def get_queryset(self) -> QuerySet[ChangeSet]:
        return ChangeSet.objects.public()

    def rows(self, queryset: QuerySet[ChangeSet]) -> Iterator[Sequence[Cell]]:
        """Yield the rows of a file; the largest move is in points."""
        for one in queryset.iterator(_AT_ONCE):
            when = utc_text(one.applied_at) if one.applied_at else ""
            why = (one.public_reason, str(one.public_why))
            yield (
                one.pk,
                when,
                one.kind,
                str(one),
                *why,
                one.moved,
                from_hundredths(Hundredths(one.largest)),
                one.undoes_id,
            )


class ChangeSetView(FilteredTableView):
    """One decision with every rating that it moved, largest move first."""

    filterset_class = MovedFilter
    table_class = MovedTable
    template_name = "office/change_set.html"
    tie_break = ("position",)
    noun = "moved"
    columns: ClassVar[tuple[str, ...]] = ("name", "scale", "before", "after", "change")

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Find the decision. Raises Http404 if it was never applied or isn't in the register."""
        super().setup(request, *args, **kwargs)
        self.change_set = get_object_or_404(ChangeSet.objects.public(), pk=kwargs["pk"])
        self.kind = kind_of(self.change_set.kind)
        self.file_name = f"decision-{self.change_set.pk}"
        self.title = str(self.change_set)

    def get_queryset(self) -> QuerySet[MovedRating]:
        """Return the ratings that it moved, or none if they would name somebody."""
        moves = self.change_set.moves.order_by("position")
        return moves.none() if self.kind.unlisted else moves

    def get_table(self, **kwargs: Any) -> Any:
        """Return the table with the names of the subjects on the page."""
        table = super().get_table(**kwargs)
        table.kind = self.kind
        table.names = self.kind.name_subjects({one.subject for one in table.page.rows})
        return table

    def rows(self, queryset: QuerySet[MovedRating]) -> Iterator[Sequence[Cell]]:
        """Yield the rows of a file; ratings are in points."""
        moves = queryset.iterator(_AT_ONCE)
        while some := list(islice(moves, _AT_ONCE)):
            names = self.kind.name_subjects({one.subject for one in some})
            for one in some:
                ratings = (one.move.before, one.move.after, one.move.change)
                yield names[one.subject][0], one.scale, *map(points_or_none, ratings)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the decision, its lists, and the decisions that it undid or that undid it."""
        return super().get_context_data(
            change_set=self.change_set,
            unlisted=self.kind.unlisted,
            lists=Shown(self.change_set.shown).lists,
            undoes=self.change_set.undoes,
            undone_by=self.change_set.undone_by.applied().first(),
            parts=sections_of(Page.CHANGE_SET, self.change_set),
            **kwargs,
        )
