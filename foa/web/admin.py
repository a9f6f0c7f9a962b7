"""Base of all admin pages: none counts a million rows, and none fails for an invalid address."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any, ClassVar, Final, TypeVar, cast

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters, ShowFacets
from django.contrib.admin.utils import get_fields_from_path, lookup_field
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db import DataError
from django.db.models import (
    PROTECT,
    BooleanField,
    DateField,
    DateTimeField,
    Field,
    ForeignKey,
    Model,
    QuerySet,
)
from django.forms import ModelForm, SplitDateTimeField
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise, cached_property
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.files import csv_response
from foa.locking import DELETED
from foa.spreadsheet import Cell
from foa.text import utc_text
from foa.web.days import DayInput, MomentInput
from foa.web.paging import with_empty_values

COUNTED: Final = 10_000
"""Maximum number of rows a list counts and pages through; narrow the search to find others."""

_OF_FILTERS: Final = ("", "__exact", "__id__exact", "__isnull", "__isempty", "__gte", "__lt")
_OF_DATES: Final = ("__year", "__month", "__day")
_DATE_FORMATS: Final = ("Y", "YEAR_MONTH_FORMAT", "MONTH_DAY_FORMAT")

M = TypeVar("M", bound=Model)

Period = tuple[int, ...]
"""Empty, or a year, year and month, or year, month and day."""


class _AtLeast(int):
    """Number of rows shown with a “+”, because there are more."""

    def __str__(self) -> str:
        return f"{number_format(int(self), force_grouping=True)}+"


class CappedPaginator(Paginator[Any]):
    """Paginator of the first COUNTED rows; the database stops counting there."""

    @cached_property
    def count(self) -> int:
        """Number of rows, or COUNTED as a number shown as “10,000+”."""
        rows: Any = self.object_list
        counted: int = rows.order_by()[: COUNTED + 1].count()
        return counted if counted <= COUNTED else _AtLeast(COUNTED)

    @property
    def is_capped(self) -> bool:
        """True if there are more rows than were counted."""
        return isinstance(self.count, _AtLeast)


class OfficeChangeList(ChangeList):
    """Change list. Its date choices run from the first to the last date, found by two index look-ups."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the rows of the page. An out-of-range page shows page 1."""
        try:
            super().get_results(request)
        except IncorrectLookupParameters:
            self.page_num = 1
            super().get_results(request)

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> QuerySet[Any]:
        """Return the rows; the link that clears the filters keeps the year, month or day.

        Django writes the chosen dates into that link as lookups that it then refuses itself.
        """
        rows = super().get_queryset(request, *args, **kwargs)
        chosen = [name for one in self.filter_specs for name in one.expected_parameters() if name]
        self.clear_all_filters_qs = self.get_query_string(remove=chosen)
        return rows

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        """Return the order that the address asks for, with empty values placed as in the list's own order."""
        return with_empty_values(queryset, super().get_ordering(request, queryset))

    def dates(self) -> dict[str, Any] | None:
        """Return the years, months or days to choose from, and the link back; None without any dates."""
        name = self.date_hierarchy
        rows = self.root_queryset.filter(**{f"{name}__isnull": False}).values_list(name, flat=True)
        ends = [row for end in (name, f"-{name}") for row in rows.order_by(end)[:1]]
        if not ends:
            return None
        parts = [f"{name}{suffix}" for suffix in _OF_DATES]
        chosen: Period = ()
        while len(chosen) < len(parts) and (text := self.params.get(parts[len(chosen)])):
            chosen = (*chosen, int(text))

        def choice(period: Period) -> dict[str, str]:
            asked = dict(zip(parts, period, strict=False))
            return {"title": _period_name(period), "link": self.get_query_string(asked, [f"{name}__"])}

        one_year = (ends[0].year,) if ends[0].year == ends[1].year else ()
        within = [choice(period) for period in _periods(chosen or one_year, *ends)]
        return {
            "back": choice(chosen[:-1]) if chosen else None,
            "choices": within or [{"title": _period_name(chosen)}],
        }


def _periods(within: Period, first: date, last: date) -> Iterator[Period]:
    """Return the parts of a period, from that of the first date to that of the last."""
    size = len(within) + 1
    if size == 1:
        numbers = range(first.year, last.year + 1)
    elif size == 2:
        numbers = range(1, 13)
    else:
        numbers = range(1, monthrange(*within)[1] + 1 if size == 3 else 1)
    ends = [(end.year, end.month, end.day)[:size] for end in (first, last)]
    return (period for number in numbers if ends[0] <= (period := (*within, number)) <= ends[1])


def _period_name(period: Period) -> str:
    if not period:
        return gettext("All dates")
    return date_format(date(*(*period, 1, 1)[:3]), _DATE_FORMATS[len(period) - 1])


class ChoiceFilter(admin.SimpleListFilter):
    """Filter with fixed choices. ``first``: name of the first one, which is chosen at first, if not “All”."""

    options: ClassVar[Sequence[tuple[str, Any]]]
    first: ClassVar[str | Promise] = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, Any]]:
        """Return the choices after the first one."""
        return self.options

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Yield all choices as the page shows them."""
        first, *others = super().choices(changelist)
        yield {**first, "display": self.first or first["display"]}
        yield from others


class TypedFilter(admin.SimpleListFilter):
    """Filter with a text box, used where listing the choices would mean reading all rows."""

    template = "admin/typed_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> tuple[()]:
        """Return no choices."""
        return ()

    def has_output(self) -> bool:
        """Return True: the filter is always shown."""
        return True

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Yield the other parameters of the address, which the form keeps."""
        kept = {name: value for name, value in changelist.params.items() if name != self.parameter_name}
        yield from kept.items()


class NamedMoments:
    """Mixin that gives dates and moments the browser's pickers, with labels for screen readers.

    ``moment_input``: the widget for a moment.
    """

    moment_input: ClassVar[type[MomentInput]] = MomentInput

    def formfield_for_dbfield(
        self, db_field: Field[Any, Any], request: HttpRequest | None, **kwargs: Any
    ) -> Any:
        """Return the form field of a column."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]
        if isinstance(field, SplitDateTimeField):
            field.widget = self.moment_input()
            field.widget.is_required = field.required
            # Django says this of a time without a day.
            field.error_messages["invalid_date"] = _("Enter the date too, or clear the time.")
            for widget, part in zip(field.widget.widgets, (_("date"), _("time")), strict=True):
                widget.attrs["aria-label"] = format_lazy("{}, {}", field.label, part)
        elif isinstance(db_field, DateField) and not isinstance(db_field, DateTimeField):
            field.widget = DayInput()
            field.widget.is_required = field.required
        return field


class StoredForm(ModelForm[Any]):
    """Form that locks its object while the form is checked and saved."""

    def clean(self) -> Any:
        """Lock the row; raise ValidationError if it was deleted, because saving would create it again."""
        rows = type(self.instance)._base_manager.select_for_update(no_key=True)
        if not rows.order_by().filter(pk=self.instance.pk).values_list("pk"):
            raise ValidationError(DELETED)
        return super().clean()


class OfficeAdmin(NamedMoments, ModelAdmin[M]):
    """Admin pages of a model."""

    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    # Django's pair of boxes has hints that screen readers can't read.
    filter_horizontal = ()
    stored_form: ClassVar[type[StoredForm]] = StoredForm
    list_prefetch_related: ClassVar[tuple[str, ...]] = ()
    """Relations to rows that refer to a row, which the list shows."""
    export_display: ClassVar[tuple[str, ...]] = ()
    """Columns of the CSV file, if they aren't those of the list: links and buttons mean nothing in a file."""
    instead: ClassVar[str | Promise] = ""
    """Text on what to do instead with an object that can't be deleted."""

    def get_urls(self) -> list[URLPattern]:
        """Add the export of the list to Django's pages."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_export"
        return [path("export/", self.admin_site.admin_view(self.export_view), name=name), *super().get_urls()]

    def formfield_for_dbfield(
        self, db_field: Field[Any, Any], request: HttpRequest | None, **kwargs: Any
    ) -> Any:
        """Return the form field of a column. What a row refers to is deleted on its own page, if at all."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if isinstance(widget := getattr(field, "widget", None), RelatedFieldWidgetWrapper):
            widget.can_delete_related = False
        return field

    def get_form(self, request: HttpRequest, obj: M | None = None, *args: Any, **kwargs: Any) -> Any:
        """Return the form, which refuses to save an object that was deleted meanwhile."""
        form = super().get_form(request, obj, *args, **kwargs)
        return form if obj is None else type(form.__name__, (self.stored_form, form), {"model_admin": self})

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Return all rows that match the filters and the search of the address, as CSV."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        return exported(self.get_changelist_instance(request))

    def with_what_is_shown(self, rows: Sequence[M]) -> Sequence[M]:
        """Return these rows with what the columns need, looked up together rather than row by row."""
        return rows

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return OfficeChangeList."""
        return OfficeChangeList

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Return the list that the address asks for; raise BadRequest for an invalid filter value."""
        try:
            page = super().get_changelist_instance(request)
        except (IncorrectLookupParameters, ValueError, OverflowError, DataError) as error:
            raise BadRequest(gettext("A filter has an invalid value.")) from error
        if self.list_prefetch_related:
            page.result_list = page.result_list.prefetch_related(*self.list_prefetch_related)
        return page

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, below the tabs of related pages."""
        site = cast(Any, self.admin_site)
        context = {
            "tabs": site.tabs(request, self.opts.label),
            "title": capfirst(self.opts.verbose_name_plural),
            **(extra_context or {}),
        }
        return super().changelist_view(request, context)

    def get_list_filter(self, request: HttpRequest) -> Any:
        """Leave out filters whose choices are all values that occur: that would mean reading every row."""

        def has_choices(path: str) -> bool:
            field = get_fields_from_path(self.model, path)[-1]
            return bool(field.choices or field.is_relation) or isinstance(field, BooleanField | DateField)

        filters = super().get_list_filter(request)
        return [one for one in filters if not isinstance(one, str) or has_choices(one)]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow only look-ups that the page links to: any other might read all rows, or fail."""
        filters = (one[0] if isinstance(one, tuple | list) else one for one in self.get_list_filter(request))
        names = (one if isinstance(one, str) else one.parameter_name for one in filters)
        allowed = {f"{name}{suffix}" for name in names for suffix in _OF_FILTERS}
        return lookup in allowed | {f"{self.date_hierarchy}{suffix}" for suffix in _OF_DATES}

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the actions, with deletion last."""
        actions = super().get_actions(request)
        return dict(sorted(actions.items(), key=lambda one: one[0] == "delete_selected"))

    def response_action(self, request: HttpRequest, queryset: QuerySet[M], *args: Any) -> HttpResponse | None:
        """Run an action on the chosen rows, but never on more rows than the page could count."""
        chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if not all(is_value(self.opts.pk, key) for key in chosen):
            raise BadRequest(gettext("A selected row no longer exists."))
        across = request.POST.get("select_across", "0") not in ("", "0")
        if across and CappedPaginator(queryset, 1).is_capped:
            refusal = gettext(
                "There are too many rows to select them all, so nothing was done. Narrow the search first."
            )
            self.message_user(request, refusal, messages.ERROR)
            return None
        return super().response_action(request, queryset, *args)

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the form; raise BadRequest for a posted link that isn't a key: it can't be shown again."""
        for field in self.opts.fields:
            text = request.POST.get(field.name)
            if isinstance(field, ForeignKey) and text and not is_value(field, text):
                raise BadRequest(
                    gettext("The form refers to something that doesn’t exist. Reload the page and try again.")
                )
        return super().changeform_view(request, *args, **kwargs)

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Render the form below the name of the object as it is stored."""
        obj = context.get("original")
        # A refused form has changed this instance.
        if obj is not None and context.get("errors"):
            stored = self.get_queryset(request).filter(pk=obj.pk).first()
            if stored is not None:
                context = {**context, "original": stored, "subtitle": str(stored)}
        return super().render_change_form(request, context, *args, **kwargs)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return initial values for links, such as the member; ignore all other parameters."""
        links = {field.name: field for field in self.opts.fields if isinstance(field, ForeignKey)}
        return {
            name: value
            for name, value in super().get_changeform_initial_data(request).items()
            if name in links and is_value(links[name], value)
        }

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Ask whether to delete an object, or say what to do instead."""
        context = {"instead": self.instead, **(extra_context or {})}
        return super().delete_view(request, object_id, context)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Name the kinds of objects that prevent a deletion; Django would read and list every row."""
        in_the_way = [
            gettext("%(objects)s (%(field)s)")
            % {
                "objects": relation.related_model._meta.verbose_name_plural,
                "field": relation.field.verbose_name,
            }
            for relation in self.opts.related_objects
            if relation.on_delete is PROTECT
            and relation.related_model._base_manager.filter(**{f"{relation.field.name}__in": objs}).exists()
        ]
        return ([], {}, set(), in_the_way) if in_the_way else super().get_deleted_objects(objs, request)


def is_value(field: Field[Any, Any] | None, text: object) -> bool:
    """Return whether a field, or the field that it refers to, accepts this value."""
    field = getattr(field, "target_field", field)
    try:
        field.run_validators(field.to_python(text))  # type: ignore[union-attr]
    except ValidationError:
        return False
    return True


_AT_ONCE: Final = 1_000
_NO_COLUMN: Final = "action_checkbox"


def exported(page: ChangeList) -> HttpResponseBase:
    """Return the file, sent while its rows are read."""
    model_admin: Any = page.model_admin
    names = [name for name in model_admin.export_display or page.list_display if name != _NO_COLUMN]
    rows = page.queryset.prefetch_related(*model_admin.list_prefetch_related)
    columns = [_column(name, page) for name in names]
    return csv_response(str(page.opts.model_name), columns, _rows(rows, names, model_admin))


def _column(name: Any, page: ChangeList) -> str:
    """Return the name of a column, the same in every language."""
    return str(page.opts.model_name if name == "__str__" else getattr(name, "__name__", name))


def _rows(rows: Any, names: list[Any], model_admin: Any) -> Iterator[list[Cell]]:
    found = rows.iterator(chunk_size=_AT_ONCE)
    while some := list(islice(found, _AT_ONCE)):
        for row in model_admin.with_what_is_shown(some):
            yield [_cell(*lookup_field(name, row, model_admin)) for name in names]


def _cell(field: Any, _attribute: Any, value: Any) -> Cell:
    """Return the value of a cell: moments in ISO 8601 and UTC, choices as labels."""
    choices = getattr(field, "flatchoices", None)
    if choices:
        value = dict(choices).get(value, value)
    if value is None or isinstance(value, int | Decimal):
        return value
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return strip_tags(value) if isinstance(value, SafeString) else str(value)
