"""Base of list pages: a queryset, a filter set, a table, fifty rows a page, and files.

A page is a subclass of :class:`FilteredTableView` in about ten lines. Rows aren't counted: a list knows
whether it has a next page, not how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from django.db.models import QuerySet
from django.forms import HiddenInput
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_filters import FilterSet, ModelChoiceFilter
from django_filters.views import FilterView
from django_tables2 import SingleTableMixin, Table
from django_tables2.data import TableQuerysetData

from foa.files import FORMATS, FileFormat, TableFile, file_response, format_asked_for
from foa.list_rows import ListRows
from foa.spreadsheet import Cell
from foa.text import NOTHING
from foa.web.caching import cached_for_visitors
from foa.web.deprecation import Deprecation
from foa.web.negotiated import json_error
from foa.web.paging import Page, page_of, with_empty_values

ANY: Final = _("any")
"""Label of a filter's choice that filters nothing."""

SORTED_AT_MOST: Final = 20_000
"""Maximum number of rows of a list sorted by a column without an index."""

# The two libraries have no type stubs, so a class of theirs is of type Any to mypy: hence `misc` below.


class OfficeTable(Table):  # type: ignore[misc]
    """Table whose columns sort only if they say so: a sort without an index reads the whole table.

    ``unindexed``: columns by which only a short list can be sorted. ``is_long``: the list has too many rows
    for them; a view gives the number of its rows as ``length``.

    ``phone``: columns that a phone shows in one line; the others open below it. A table without any scrolls
    sideways there. ``sizes``: class in ``lists.css`` with the widths of the columns, unless the name is the
    first one. ``in_files``: the rows of the list's files.
    """

    in_files: ClassVar[ListRows]
    unindexed: ClassVar[tuple[str, ...]] = ()
    phone: ClassVar[tuple[str, ...]] = ()
    sizes: ClassVar[str] = ""

    def __init__(self, *args: Any, length: int = 0, **kwargs: Any) -> None:
        # Not in Meta: a table's Meta replaces that of its base instead of extending it.
        super().__init__(
            *args, **{"orderable": False, "order_by_field": "sort", "default": NOTHING, **kwargs}
        )
        self.is_long = length > SORTED_AT_MOST
        for name in self.unindexed if self.is_long else ():
            self.columns[name].column.orderable = False
        for bound in self.columns if self.phone else ():
            if bound.name not in self.phone:
                bound.column.attrs = _folded(bound.column.attrs, bound.header)


def _folded(attrs: Mapping[str, Any], header: object) -> dict[str, Any]:
    """Return the attributes of a column that a phone folds; each cell has the heading in ``data-label``."""
    cell, heading = (
        {**attrs.get(name, {}), "class": f"{attrs.get(name, {}).get('class', '')} folded".strip()}
        for name in ("td", "th")
    )
    return {**attrs, "td": {**cell, "data-label": header}, "th": heading}


class OfficeFilterSet(FilterSet):  # type: ignore[misc]
    """Filters above a table. The first field is always visible, the others fold away."""

    @property
    def folded_is_used(self) -> bool:
        """True if a folded filter is set or has an error, so that it has to be shown."""
        _first, *folded = (field.name for field in self.form.visible_fields())
        return any(name in self.form.changed_data or name in self.form.errors for name in folded)

    @property
    def blank_form(self) -> tuple[object, ...]:
        """Cache key of the form while no filter is set: it varies with the stored choices."""
        return type(self), *(
            tuple(each.get_queryset(self.request).values_list())
            for each in self.filters.values()
            if isinstance(each, ModelChoiceFilter) and not isinstance(each.extra.get("widget"), HiddenInput)
        )

    @property
    def subject(self) -> Any:
        """The member that the list is limited to, or None, as where “player” is text to search for."""
        found = self.form.cleaned_data.get("player") if self.is_bound and self.is_valid() else None
        return None if isinstance(found, str) else found


class _Rows(TableQuerysetData):  # type: ignore[misc]
    """Rows of a table, sorted, with a fixed order of equal ones."""

    data: Any

    def __init__(self, data: QuerySet[Any], tie_break: Iterable[str]) -> None:
        super().__init__(data)
        self.tie_break = tuple(tie_break)

    def order_by(self, aliases: Any) -> None:
        """Sort by these columns, then by the tie break unless they already are as unique as its last term."""
        super().order_by(aliases)
        if aliases:
            order = self.data.query.order_by
            named = [term.removeprefix("-") for term in order]
            rest = [] if self.tie_break[-1].removeprefix("-") in named else self.tie_break
            self.data = self.data.order_by(
                *with_empty_values(self.data, order), *(term for term in rest if term not in named)
            )


@method_decorator(cached_for_visitors, name="dispatch")
class FilteredTableView(SingleTableMixin, FilterView):  # type: ignore[misc]
    """List page. Subclasses set ``queryset``, ``filterset_class``, ``table_class`` and ``title``.

    An invalid filter answers 400 with the form and its errors. ``?format=csv``, or another of ``formats``,
    gives all rows that match the filters, not only those of a page, as the table's ``in_files`` has them;
    ``noun`` is their key in JSON. A file too long for its format answers 400 with links to the others.
    """

    template_name = "table_page.html"
    rows_per_page: ClassVar[int] = 50
    rows_to_print: ClassVar[int] = 2000
    title: str | Promise
    intro: str | Promise = ""
    tie_break: tuple[str, ...] = ("pk",)
    formats: ClassVar[Mapping[str, FileFormat[Any]]] = FORMATS
    file_name: str
    noun: str
    is_long: ClassVar[bool] = False
    """True for a list that may have more rows than some file formats take."""
    too_long: str | None = None
    """Requested format that this list is too long for."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Return the page or the file; 400 for an invalid filter or format, or a file that is too long."""
        name = format_asked_for(request, self.formats)
        response = self._answer(name, request, *args, **kwargs)
        if name == "json" and (deprecation := self.json_deprecated()):
            deprecation.tell(response)
        return response

    def json_deprecated(self) -> Deprecation | None:
        """Return when the JSON goes, and what the API has instead; None if it stays."""
        return None

    def _answer(self, name: str | None, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if name is not None:
            self.filterset = filterset = self.get_filterset(self.get_filterset_class())
            if not filterset.is_bound or filterset.is_valid():
                _table, data = self._sorted(filterset.qs)
                file = self.file(data.data)
                if not self.formats[name].is_too_long(file):
                    return file_response(file, name, self.formats[name])
                self.too_long = name
            elif name == "json":
                told = {field: list(texts) for field, texts in filterset.errors.items()}
                return json_error(400, gettext("Please correct the errors below."), fields=told)
        response: HttpResponse = super().get(request, *args, **kwargs)
        if self.too_long or (self.filterset.is_bound and not self.filterset.is_valid()):
            response.status_code = 400
        return response

    def file(self, queryset: QuerySet[Any]) -> TableFile:
        """Return the description of the list's file, for rows already filtered and sorted."""
        return TableFile(
            name=self.file_name,
            columns=self.columns,
            source=queryset,
            rows=self.rows(queryset),
            noun=self.noun,
        )

    @property
    def columns(self) -> Sequence[str]:
        """The columns of a file."""
        names: Sequence[str] = self.get_table_class().in_files.names
        return names

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        """Yield the rows of a file."""
        found: Iterator[Sequence[Cell]] = self.get_table_class().in_files.of(queryset)
        return found

    def get_filterset_kwargs(self, filterset_class: type[Any]) -> dict[str, Any]:
        """Leave the form unbound if the address sets no filter, such as that of a further page."""
        kwargs: dict[str, Any] = super().get_filterset_kwargs(filterset_class)
        set_here = any(name in self.request.GET for name in filterset_class.base_filters)
        return {**kwargs, "data": self.request.GET if set_here else None}

    def get_table(self, **kwargs: Any) -> Any:
        """Return the table, sorted and cut to one page."""
        table, data = self._sorted(self.object_list, **kwargs)
        table.page = self.page(data.data)
        self.complete(table, table.page.rows)
        data.data = table.page.rows
        return table

    def page(self, queryset: QuerySet[Any]) -> Page:
        """Return the page of these sorted rows that the address asks for."""
        return page_of(queryset, self.request.GET, self.number_of_rows)

    @property
    def number_of_rows(self) -> int:
        """Number of rows of a page: 50, or with ``?rows=all`` as many as somebody prints."""
        return self.rows_to_print if self.request.GET.get("rows") == "all" else self.rows_per_page

    def complete(self, table: Any, rows: Sequence[Any]) -> None:
        """Look up what the table shows besides the rows of its page."""

    def _sorted(self, queryset: QuerySet[Any], **kwargs: Any) -> tuple[Any, _Rows]:
        data = _Rows(queryset, self.tie_break)
        table = self.get_table_class()(data=data, **kwargs)
        if columns := self.request.GET.getlist(table.order_by_field):
            table.order_by = columns
        return table, data

    def get_title(self) -> str | Promise:
        return self.title

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add title, intro and file formats to the context."""
        context: dict[str, Any] = super().get_context_data(
            title=self.get_title(),
            intro=self.intro,
            formats=self.formats,
            too_long=self.too_long and self.too_long.upper(),
            **kwargs,
        )
        offered = [name for name, kind in self.formats.items() if self._can_have(kind, context)]
        context["offered"] = [name for name in offered if name != "json" or not self.json_deprecated()]
        return context

    def _can_have(self, kind: FileFormat[Any], context: Mapping[str, Any]) -> bool:
        """Return whether the list is short enough for a file format. One page of it is read already."""
        if kind.most_rows is None or not self.is_long or context["table"].page.next is None:
            return True
        return not kind.is_too_long(self.file(self.object_list))
