"""The public register: what the office decided, when and why, and whose ratings changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from django.db.models import F, Q, QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django_filters import ChoiceFilter, NumberFilter
from django_tables2 import Column

from foa.list_rows import ListRows, exact, moment, text, whole
from foa.spreadsheet import Cell
from foa.text import points, utc_text
from foa.web.columns import MomentColumn, NumberColumn
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.listing import ANY, FilteredTableView, OfficeFilterSet, OfficeTable
from ratings.office.decision_types import DecisionType, kind_of
from ratings.office.effects import Shown
from ratings.office.models import ChangeSet, MovedRating, PublicReason
from ratings.office.page_sections import Page, sections_of
from ratings.rules.rounding import from_hundredths, points_or_none
from ratings.rules.units import Hundredths


class RegisterFilter(OfficeFilterSet):
    """Filters of the list of decisions."""

    reason = ChoiceFilter(
        empty_label=ANY, label=_("Reason"), field_name="public_reason", choices=PublicReason.choices
    )


class MovedFilter(OfficeFilterSet):
    """Filters of the ratings that a decision moved."""

    least = NumberFilter(
        label=_("Changed by at least (points)"), min_value=0, max_value=4_000, method="filter_least"
    )

    def filter_least(self, queryset: QuerySet[MovedRating], name: str, value: Any) -> QuerySet[MovedRating]:
        """Keep ratings that moved at least this far, and those lost or gained."""
        far = int(100 * value)
        return queryset.filter(
            Q(before=None) | Q(after=None) | Q(after__gte=F("before") + far) | Q(after__lte=F("before") - far)
        )


DECISIONS: Final = ListRows(
    "A decision of the office.",
    id=whole(),
    applied_at=moment(),
    kind=text(),
    decision=text(help="In words."),
    reason=text(blank=True),
    why=text(blank=True, help="The reason in words."),
    moved=whole(help="Number of ratings it changed."),
    largest=exact(help="The largest change."),
    takes_back=whole(null=True, help="The decision that it undid."),
)

MOVED: Final = ListRows(
    "A rating that a decision changed.",
    name=text(help="The member or player."),
    scale=text(help="rapid, blitz or bullet; other rule books have their own scales."),
    before=exact(null=True),
    after=exact(null=True),
    change=exact(null=True),
)


class RegisterTable(OfficeTable):
    """The decisions of the office, latest first."""

    in_files = DECISIONS
    phone = ("decision", "moved")

    applied_at = MomentColumn(verbose_name=_("When (UTC)"))
    decision = Column(verbose_name=_("Decision"), accessor="pk", linkify=True)
    why = Column(verbose_name=_("Reason"), accessor="public_why")
    moved = NumberColumn(verbose_name=_("Ratings changed"))
    largest = NumberColumn(verbose_name=_("Largest change"))

    def render_decision(self, record: ChangeSet) -> str:
        """Show the heading, without names."""
        return str(record)

    def render_largest(self, value: int) -> str:
        """Show the value in points."""
        return points(from_hundredths(Hundredths(value)))


class MovedTable(OfficeTable):
    """The ratings a change set moved, largest change first. ``names``: names and pages of the subjects."""

    in_files = MOVED
    kind: DecisionType
    names: Mapping[int, tuple[str, str]] = {}
    phone = ("subject", "scale", "change")

    subject = Column(verbose_name=_("Member"))
    scale = Column(verbose_name=_("Category"))
    before = NumberColumn(verbose_name=_("Before"), empty_values=())
    after = NumberColumn(verbose_name=_("After"), empty_values=())
    change = NumberColumn(verbose_name=_("Change"), empty_values=())

    def render_subject(self, value: int) -> SafeString | str:
        """Link to the page of the subject, if it has one."""
        name, address = self.names[value]
        return format_html('<a href="{}">{}</a>', address, name) if address else name

    def render_scale(self, value: str) -> str:
        """Show the name in the reader's language."""
        return self.kind.name_scale(value)

    def render_before(self, record: MovedRating) -> str:
        """Show the value in points."""
        return self.kind.rating_text(record.move.before)

    def render_after(self, record: MovedRating) -> str:
        """Show the value in points."""
        return self.kind.rating_text(record.move.after)

    def render_change(self, record: MovedRating) -> str:
        """Show a dash if a rating was lost or gained."""
        return self.kind.change_text(record.move.change)


_AT_ONCE = 500


class RegisterView(FilteredTableView):
    """List of applied decisions, latest first. It shows neither staff notes nor who decided."""

    filterset_class = RegisterFilter
    table_class = RegisterTable
    template_name = "office/register.html"
    tie_break = ("-applied_at", "-pk")
    title = _("Register of decisions")
    intro = _("Our decisions, and how many ratings each one changed.")
    file_name = "decisions"
    noun = "decisions"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the register in the API."""
        return Deprecation(*JSON_GOES, "arena:decisions")

    def get_queryset(self) -> QuerySet[ChangeSet]:
        return ChangeSet.objects.public()

    def rows(self, queryset: QuerySet[ChangeSet]) -> Iterator[Sequence[Cell]]:
        return decision_rows(queryset)


def decision_rows(decisions: QuerySet[ChangeSet]) -> Iterator[Sequence[Cell]]:
    """Yield rows of ``DECISIONS``; the largest change is in points."""
    for one in decisions.iterator(_AT_ONCE):
        when = utc_text(one.applied_at) if one.applied_at else ""
        why = (one.public_reason, str(one.public_why))
        largest = from_hundredths(Hundredths(one.largest))
        yield (one.pk, when, one.kind, str(one), *why, one.moved, largest, one.undoes_id)


def moves_of(decision: ChangeSet) -> QuerySet[MovedRating]:
    """Return the ratings that a decision moved, largest change first, or none if they would name somebody."""
    moves = decision.moves.order_by("position")
    return moves.none() if kind_of(decision.kind).unlisted else moves


def moved_rows(decision: ChangeSet, moves: QuerySet[MovedRating]) -> Iterator[Sequence[Cell]]:
    """Yield rows of ``MOVED``; ratings are in points."""
    kind, rows = kind_of(decision.kind), moves.iterator(_AT_ONCE)
    while some := list(islice(rows, _AT_ONCE)):
        names = kind.name_subjects({one.subject for one in some})
        for one in some:
            ratings = (one.move.before, one.move.after, one.move.change)
            yield names[one.subject][0], one.scale, *map(points_or_none, ratings)


class ChangeSetView(FilteredTableView):
    """One decision with every rating that it moved, largest change first."""

    filterset_class = MovedFilter
    table_class = MovedTable
    template_name = "office/change_set.html"
    tie_break = ("position",)
    noun = "moved"

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Find the decision. Raises Http404 if it was never applied or isn't in the register."""
        super().setup(request, *args, **kwargs)
        self.change_set = get_object_or_404(ChangeSet.objects.public(), pk=kwargs["pk"])
        self.kind = kind_of(self.change_set.kind)
        self.file_name = f"decision-{self.change_set.pk}"
        self.title = str(self.change_set)

    def json_deprecated(self) -> Deprecation:
        """Return the address of the changed ratings in the API."""
        return Deprecation(*JSON_GOES, "arena:decision_moved", {"id": self.change_set.pk})

    def get_queryset(self) -> QuerySet[MovedRating]:
        return moves_of(self.change_set)

    def get_table(self, **kwargs: Any) -> Any:
        """Return the table with the names of the subjects on the page."""
        table = super().get_table(**kwargs)
        table.kind = self.kind
        table.names = self.kind.name_subjects({one.subject for one in table.page.rows})
        return table

    def rows(self, queryset: QuerySet[MovedRating]) -> Iterator[Sequence[Cell]]:
        return moved_rows(self.change_set, queryset)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the decision, its lists, and the decisions that it undid or that undid it."""
        lists = Shown(self.change_set.shown).lists
        addresses = self.kind.list_addresses([one.key for one in lists])
        return super().get_context_data(
            change_set=self.change_set,
            unlisted=self.kind.unlisted,
            lists=[(one.label, addresses.get(one.key)) for one in lists],
            undoes=self.change_set.undoes,
            undone_by=self.change_set.undone_by.applied().first(),
            parts=sections_of(Page.CHANGE_SET, self.change_set),
            **kwargs,
        )
