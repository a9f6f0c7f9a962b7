"""The register of decisions, read-only: what the office decided, and which ratings that moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from rest_framework.exceptions import NotFound

from foa.spreadsheet import Cell
from ratings.arena.api.public_pages import PagedView, described, in_path
from ratings.office.models import ChangeSet
from ratings.office.views import (
    DECISIONS,
    MOVED,
    MovedFilter,
    RegisterFilter,
    decision_rows,
    moved_rows,
    moves_of,
)


@described(
    "decisions",
    "RegisteredDecision",
    DECISIONS,
    summary="Decisions of the office, latest first",
    description="`decision` and `why` are texts in the language of `Accept-Language`.",
)
class DecisionsView(PagedView):
    """The register."""

    filterset_class = RegisterFilter
    noun = "decisions"

    def source(self, **place: Any) -> QuerySet[Any]:
        return ChangeSet.objects.public().order_by("-applied_at", "-pk")

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return decision_rows(queryset)


@described(
    "decision_moved",
    "DecisionMove",
    MOVED,
    summary="The ratings that a decision changed, largest change first",
    description="Empty if the ratings would reveal somebody the register doesn’t name.",
    parameters=[in_path("id", "4711", "The number of the decision.", kind=OpenApiTypes.INT)],
)
class MovedView(PagedView):
    """The ratings that a decision moved."""

    filterset_class = MovedFilter
    noun = "moved"
    decision: ChangeSet

    def source(self, **place: Any) -> QuerySet[Any]:
        found = ChangeSet.objects.public().filter(pk=place["id"]).first()
        if found is None:
            raise NotFound(_("There’s no decision %(number)s in the register.") % {"number": place["id"]})
        self.decision = found
        return moves_of(found)

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return moved_rows(self.decision, queryset)
