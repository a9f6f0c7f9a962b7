"""The list page of the office: one queryset, one filter set, one table, fifty rows a page, and files.

A page is a subclass of :class:`FilteredTableView` in about ten lines. Nothing counts the rows of a request:
a list knows whether it has a next page, not how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from django.db.models import QuerySet
from django.forms import HiddenInput
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_filters import FilterSet, ModelChoiceFilter
from django_filters.views import FilterView
from django_tables2 import SingleTableMixin, Table
from django_tables2.data import TableQuerysetData

from foa.files import FORMATS, FileFormat, TableFile, file_response, format_asked_for
from foa.spreadsheet import Cell
from foa.text import NOTHING
from foa.web.caching import cached_for_visitors
from foa.web.paging import Page, page_of, with_empty_values

ANY: Final = _("any")
"""The choice of a filter that filters nothing."""

# The two libraries have no type stubs, so a class of theirs is of type Any to mypy: hence `misc` below.


class OfficeTable(Table):  # type: ignore[misc]
    """A table whose columns do not sort unless they say so: a sort without an index reads the whole table.

    ``phone``: the columns that a phone shows in one line; the others open below it. A table without any
    scrolls sideways there. ``sizes`` is the class of ``lists.css`` that says how wide they are.
    """

    phone: ClassVar[tuple[str, ...]] = ()
    sizes: ClassVar[str] = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Not in Meta: a table's Meta replaces that of its base, it does not extend it.
        super().__init__(
            *args, **{"orderable": False, "order_by_field": "sort", "default": NOTHING, **kwargs}
        )
        for bound in self.columns if self.phone else ():
            if bound.name not in self.phone:
                bound.column.attrs = _folded(bound.column.attrs, bound.header)


def _folded(attrs: Mapping[str, Any], header: object) -> dict[str, Any]:
    """The attributes of a column that a phone shows below the others, each cell with its heading."""
    cell, heading = (
        {**attrs.get(name, {}), "class": f"{attrs.get(name, {}).get('class', '')} folded".strip()}
        for name in ("td", "th")
    )
    return {**attrs, "td": {**cell, "data-label": header}, "th": heading}


class OfficeFilterSet(FilterSet):  # type: ignore[misc]
    """The filters above a table. The first field stays in sight, the others fold away."""

    @property
    def folded_is_used(self) -> bool:
        """Whether a filter that folds away is set or at fault, so that it has to be shown."""
        _first, *folded = (field.name for field in self.form.visible_fields())
        return any(name in self.form.changed_data or name in self.form.errors for name in folded)

    @property
    def blank_form(self) -> tuple[object, ...]:
        """What the form looks like depends on, while no filter is set: the choices that are stored."""
        return type(self), *(
            tuple(each.get_queryset(self.request).values_list())
            for each in self.filters.values()
            if isinstance(each, ModelChoiceFilter) and not isinstance(each.extra.get("widget"), HiddenInput)
        )

    @property
    def subject(self) -> Any:
        """The one member whose rows alone are shown, where a link asked for that."""
        return self.form.cleaned_data.get("player") if self.is_bound and self.is_valid() else None


class _Rows(TableQuerysetData):  # type: ignore[misc]
    """The rows of a table, sorted; equal ones stand in a fixed order."""

    data: Any

    def __init__(self, data: QuerySet[Any], tie_break: Iterable[str]) -> None:
        super().__init__(data)
        self.tie_break = tuple(tie_break)

    def order_by(self, aliases: Any) -> None:
        """Sort by these columns, then by the tie break."""
        super().order_by(aliases)
        if aliases:
            order = self.data.query.order_by
            named = [term.removeprefix("-") for term in order]
            self.data = self.data.order_by(
                *with_empty_values(self.data, order), *(term for term in self.tie_break if term not in named)
            )


@method_decorator(cached_for_visitors, name="dispatch")
class FilteredTableView(SingleTableMixin, FilterView):  # type: ignore[misc]
    """A list page. Subclasses give ``queryset``, ``filterset_class``, ``table_class`` and ``title``.

    A filter that makes no sense answers 400 with the form and its faults. ``?format=csv``, or another of
    ``formats``, gives all rows that the filters leave, not only those of a page, as ``columns`` and
    :meth:`rows` say; ``noun`` is what they are called in JSON. A file that is too long for its format answers
    400 with the way to the others.
    """

    template_name = "table_page.html"
    rows_per_page: ClassVar[int] = 50
    title: str | Promise
    intro: str | Promise = ""
    tie_break: tuple[str, ...] = ("pk",)
    formats: ClassVar[Mapping[str, FileFormat[Any]]] = FORMATS
    file_name: str
    noun: str
    columns: ClassVar[tuple[str, ...]]
    is_long: ClassVar[bool] = False
    """True for a list that may have more rows than some kinds of files take."""
    too_long: str | None = None
    """The format that was asked for and that this list is too long for."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """The page or the file; status 400 where a filter or the format is at fault, or the file too long."""
        name = format_asked_for(request, self.formats)
        if name is not None:
            self.filterset = filterset = self.get_filterset(self.get_filterset_class())
            if not filterset.is_bound or filterset.is_valid():
                _table, data = self._sorted(filterset.qs)
                file = self.file(data.data)
                if not self.formats[name].is_too_long(file):
                    return file_response(file, name, self.formats[name])
                self.too_long = name
        response: HttpResponse = super().get(request, *args, **kwargs)
        if self.too_long or (self.filterset.is_bound and not self.filterset.is_valid()):
            response.status_code = 400
        return response

    def file(self, queryset: QuerySet[Any]) -> TableFile:
        """What the files of the list are made of, for the rows that filters and sort leave."""
        return TableFile(
            name=self.file_name,
            columns=self.columns,
            source=queryset,
            rows=self.rows(queryset),
            noun=self.noun,
        )

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        """The rows of a file, streamed."""
        raise NotImplementedError

    def get_filterset_kwargs(self, filterset_class: type[Any]) -> dict[str, Any]:
        """An address that sets no filter, such as that of a further page, has the blank form."""
        kwargs: dict[str, Any] = super().get_filterset_kwargs(filterset_class)
        set_here = any(name in self.request.GET for name in filterset_class.base_filters)
        return {**kwargs, "data": self.request.GET if set_here else None}

    def get_table(self, **kwargs: Any) -> Any:
        """The table, sorted and cut to one page; the address cannot ask for more rows than a page has."""
        table, data = self._sorted(self.object_list, **kwargs)
        table.page = self.page(data.data)
        self.complete(table, table.page.rows)
        data.data = table.page.rows
        return table

    def page(self, queryset: QuerySet[Any]) -> Page:
        """The page of these sorted rows that the address asks for."""
        return page_of(queryset, self.request.GET, self.rows_per_page)

    def complete(self, table: Any, rows: Sequence[Any]) -> None:
        """Look up what the table shows beside the rows of its page."""

    def _sorted(self, queryset: QuerySet[Any], **kwargs: Any) -> tuple[Any, _Rows]:
        data = _Rows(queryset, self.tie_break)
        table = self.get_table_class()(data=data, **kwargs)
        if columns := self.request.GET.getlist(table.order_by_field):
            table.order_by = columns
        return table, data

    def get_title(self) -> str | Promise:
        return self.title

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Heading, first words and kinds of files, beside table and filter."""
        context: dict[str, Any] = super().get_context_data(
            title=self.get_title(),
            intro=self.intro,
            formats=self.formats,
            too_long=self.too_long and self.too_long.upper(),
            **kwargs,
        )
        context["offered"] = [name for name, kind in self.formats.items() if self._can_have(kind, context)]
        return context

    def _can_have(self, kind: FileFormat[Any], context: Mapping[str, Any]) -> bool:
        """Return whether the list isn't too long for a kind of file. One page of it is read already."""
        if kind.most_rows is None or not self.is_long or context["table"].page.next is None:
            return True
        return not kind.is_too_long(self.file(self.object_list))
