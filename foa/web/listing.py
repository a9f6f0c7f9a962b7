"""The list page of the office: one queryset, one filter set, one table, fifty rows a page.

A page is a subclass of :class:`FilteredTableView` in about ten lines. Nothing counts the rows of a request:
a list knows whether it has a next page, not how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from django.core.exceptions import BadRequest
from django.core.paginator import EmptyPage
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_filters import FilterSet
from django_filters.views import FilterView
from django_tables2 import LazyPaginator, SingleTableMixin, Table
from django_tables2.data import TableQuerysetData

from foa.web.text import NOTHING

__all__ = ["ANY", "FilteredTableView", "OfficeFilterSet", "OfficeTable", "page_number"]

ANY: Final = _("any")
"""The choice of a filter that filters nothing."""

_PAGE_DIGITS: Final = 6
"""No list has a million pages; a longer number would overflow the OFFSET of a database."""

# The two libraries have no type stubs, so a class of theirs is of type Any to mypy: hence `misc` below.


class OfficeTable(Table):  # type: ignore[misc]
    """A table whose columns do not sort unless they say so: a sort without an index reads the whole table."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Not in Meta: a table's Meta replaces that of its base, it does not extend it.
        super().__init__(
            *args, **{"orderable": False, "order_by_field": "sort", "default": NOTHING, **kwargs}
        )


class OfficeFilterSet(FilterSet):  # type: ignore[misc]
    """The filters above a table. The first field stays in sight, the others fold away."""

    @property
    def folded_is_used(self) -> bool:
        """Whether a filter that folds away is set or at fault, so that it has to be shown."""
        _first, *folded = (field.name for field in self.form.visible_fields())
        return any(name in self.form.changed_data or name in self.form.errors for name in folded)

    @property
    def subject(self) -> Any:
        """The one member whose rows alone are shown, where a link asked for that."""
        return self.form.cleaned_data.get("player") if self.is_bound and self.is_valid() else None


class _TieBrokenData(TableQuerysetData):  # type: ignore[misc]
    """Rows that are equal in the column they are sorted by stand in a fixed order."""

    data: QuerySet[Any]

    def __init__(self, data: QuerySet[Any], tie_break: Iterable[str]) -> None:
        super().__init__(data)
        self.tie_break = tuple(tie_break)

    def order_by(self, aliases: Any) -> None:
        """Sort by these columns, then by the tie break."""
        super().order_by(aliases)
        if aliases:
            self.data = self.data.order_by(*self.data.query.order_by, *self.tie_break)


class FilteredTableView(SingleTableMixin, FilterView):  # type: ignore[misc]
    """A list page. Subclasses give ``queryset``, ``filterset_class``, ``table_class`` and ``title``.

    A filter that makes no sense answers 400 with the form and its faults; a page that does not exist
    answers 404, and one that is no number 400.
    """

    template_name = "table_page.html"
    rows_per_page: ClassVar[int] = 50
    title: str | Promise
    intro: str | Promise = ""
    tie_break: tuple[str, ...] = ("pk",)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The page, with status 400 where a filter is at fault."""
        response: HttpResponse = super().get(request, *args, **kwargs)
        if self.filterset.is_bound and not self.filterset.is_valid():
            response.status_code = 400
        return response

    def get_table(self, **kwargs: Any) -> Any:
        """The table, sorted and cut to one page; the address cannot ask for more rows than a page has."""
        data = _TieBrokenData(self.object_list, self.tie_break)
        table = self.get_table_class()(data=data, **kwargs)
        if columns := self.request.GET.getlist(table.order_by_field):
            table.order_by = columns
        try:
            table.paginate(
                paginator_class=LazyPaginator, per_page=self.rows_per_page, page=page_number(self.request)
            )
        except EmptyPage:
            raise Http404(gettext("This list has no such page.")) from None
        return table

    def get_title(self) -> str | Promise:
        """The heading of the page."""
        return self.title

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Heading and first words of the page, beside table and filter."""
        return super().get_context_data(title=self.get_title(), intro=self.intro, **kwargs)  # type: ignore[no-any-return]


def page_number(request: HttpRequest) -> int:
    """The page the address asks for; raises BadRequest for no number and Http404 beyond any list."""
    text = request.GET.get("page", "1")
    if not (text.isascii() and text.isdecimal()) or not text.strip("0"):
        raise BadRequest("page is not a number from 1 on")
    if len(text) > _PAGE_DIGITS:
        raise Http404(gettext("This list has no such page."))
    return int(text)
