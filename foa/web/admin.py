"""What every page of the admin shares: none counts a million rows, none fails for a senseless address."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, ClassVar, Final, TypeVar, cast

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters, ShowFacets
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ChangeList
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
from django.forms import SplitDateTimeField
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise, cached_property
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.locking import DELETED
from foa.web.days import DayInput, MomentInput
from foa.web.exporting import exported
from foa.web.paging import with_empty_values
from foa.web.typed import ModelAdmin, ModelForm

COUNTED: Final = 10_000
"""So many rows a list counts and offers; what lies beyond is found by narrowing the search."""

_OF_FILTERS: Final = ("", "__exact", "__id__exact", "__isnull", "__isempty", "__gte", "__lt")
_OF_DATES: Final = ("__year", "__month", "__day")
_DATE_FORMATS: Final = ("Y", "YEAR_MONTH_FORMAT", "MONTH_DAY_FORMAT")

M = TypeVar("M", bound=Model)

Period = tuple[int, ...]
"""Nothing, a year, year and month, or year, month and day."""


class _AtLeast(int):
    """A number of rows that says of itself that there are more."""

    def __str__(self) -> str:
        return f"{number_format(int(self), force_grouping=True)}+"


class CappedPaginator(Paginator):  # type: ignore[type-arg]  # Django refuses one at run time
    """Pages of the first COUNTED rows: the database stops counting there."""

    @cached_property
    def count(self) -> int:
        """The number of rows, or COUNTED as a number that says “10,000+”."""
        rows: Any = self.object_list
        counted: int = rows.order_by()[: COUNTED + 1].count()
        return counted if counted <= COUNTED else _AtLeast(COUNTED)

    @property
    def is_capped(self) -> bool:
        """Whether there are more rows than were counted."""
        return isinstance(self.count, _AtLeast)


class OfficeChangeList(ChangeList):
    """A list. Its dates are offered from the first to the last, which takes two look-ups in an index."""

    def get_results(self, request: HttpRequest) -> None:
        """The rows of the page. Of one that is gone, its rows deleted, those of the first."""
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
        """The order that the address asks for; empty values stand where the list's own order has them."""
        return with_empty_values(queryset, super().get_ordering(request, queryset))

    def dates(self) -> dict[str, Any] | None:
        """The years, months or days to choose from, and the way back; None for a list without dates."""
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
    """The parts of a period, from the one in which the first date lies to that of the last."""
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


class TypedFilter(admin.SimpleListFilter):
    """A filter that is typed, where choices would have to be looked for among all rows."""

    template = "admin/typed_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> tuple[()]:
        """No choices."""
        return ()

    def has_output(self) -> bool:
        """Always there."""
        return True

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """The other parts of the address, to be kept."""
        kept = {name: value for name, value in changelist.params.items() if name != self.parameter_name}
        yield from kept.items()


class NamedMoments:
    """Days and moments have the browser's own pickers, and each field says to a screen reader whose it is.

    ``moment_input``: the field for a moment.
    """

    moment_input: ClassVar[type[MomentInput]] = MomentInput

    def formfield_for_dbfield(
        self, db_field: Field[Any, Any], request: HttpRequest | None, **kwargs: Any
    ) -> Any:
        """The field of a form for a column."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]
        if isinstance(field, SplitDateTimeField):
            field.widget = self.moment_input()
            field.widget.is_required = field.required
            for widget, part in zip(field.widget.widgets, (_("date"), _("time")), strict=True):
                widget.attrs["aria-label"] = format_lazy("{}, {}", field.label, part)
        elif isinstance(db_field, DateField) and not isinstance(db_field, DateTimeField):
            field.widget = DayInput()
            field.widget.is_required = field.required
        return field


class StoredForm(ModelForm[Any]):
    """A form of an object that stays stored while the form is checked and saved."""

    def clean(self) -> Any:
        """Lock the row; raise ValidationError if somebody has deleted it, as saving would enter it again."""
        rows = type(self.instance)._base_manager.select_for_update(no_key=True)
        if not rows.order_by().filter(pk=self.instance.pk).values_list("pk"):
            raise ValidationError(DELETED)
        return super().clean()


class OfficeAdmin(NamedMoments, ModelAdmin[M]):
    """The pages of a model."""

    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    # Django's pair of boxes has hints that no screen reader may read.
    filter_horizontal = ()
    stored_form: ClassVar[type[StoredForm]] = StoredForm
    list_prefetch_related: ClassVar[tuple[str, ...]] = ()
    """What a row of the list shows of rows that refer to it."""
    instead: ClassVar[str | Promise] = ""
    """What to do with an object that can't be deleted."""

    def get_urls(self) -> list[URLPattern]:
        """Beside Django's own pages the list as a file."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_export"
        return [path("export/", self.admin_site.admin_view(self.export_view), name=name), *super().get_urls()]

    def get_form(self, request: HttpRequest, obj: M | None = None, *args: Any, **kwargs: Any) -> Any:
        """The form, which refuses to save an object that was deleted meanwhile."""
        form = super().get_form(request, obj, *args, **kwargs)
        return form if obj is None else type(form.__name__, (self.stored_form, form), {"model_admin": self})

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """All rows that the filters and the search of the address leave, as CSV."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        return exported(self.get_changelist_instance(request))

    def with_what_is_shown(self, rows: Sequence[M]) -> Sequence[M]:
        """These rows of the list, with what its columns show and a query for each of them would find."""
        return rows

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """The list of the office."""
        return OfficeChangeList

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The list that the address asks for; raises BadRequest where it asks for what cannot be."""
        try:
            page = super().get_changelist_instance(request)
        except (IncorrectLookupParameters, ValueError, OverflowError, DataError) as error:
            raise BadRequest(gettext("A filter has an invalid value.")) from error
        if self.list_prefetch_related:
            page.result_list = page.result_list.prefetch_related(*self.list_prefetch_related)
        return page

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, below the tabs of what belongs together."""
        site = cast(Any, self.admin_site)
        context = {
            "tabs": site.tabs(request, self.opts.label),
            "title": capfirst(self.opts.verbose_name_plural),
            **(extra_context or {}),
        }
        return super().changelist_view(request, context)

    def get_list_filter(self, request: HttpRequest) -> Any:
        """Without those whose choices are all values that occur: every row would have to be read for them."""

        def has_choices(path: str) -> bool:
            field = get_fields_from_path(self.model, path)[-1]
            return bool(field.choices or field.is_relation) or isinstance(field, BooleanField | DateField)

        filters = super().get_list_filter(request)
        return [one for one in filters if not isinstance(one, str) or has_choices(one)]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Only what the page itself links to: any other look-up might read all rows, or be one that fails."""
        filters = (one[0] if isinstance(one, tuple | list) else one for one in self.get_list_filter(request))
        names = (one if isinstance(one, str) else one.parameter_name for one in filters)
        allowed = {f"{name}{suffix}" for name in names for suffix in _OF_FILTERS}
        return lookup in allowed | {f"{self.date_hierarchy}{suffix}" for suffix in _OF_DATES}

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """What can be done with the rows chosen; deleting them comes last."""
        actions = super().get_actions(request)
        return dict(sorted(actions.items(), key=lambda one: one[0] == "delete_selected"))

    def response_action(self, request: HttpRequest, queryset: QuerySet[M], *args: Any) -> HttpResponse | None:
        """Run an action on the rows chosen; never on more rows than the page could count."""
        chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if not all(is_value(self.opts.pk, key) for key in chosen):
            raise BadRequest(gettext("A selected row no longer exists."))
        across = request.POST.get("select_across", "0") not in ("", "0")
        if across and CappedPaginator(queryset, 1).is_capped:
            refusal = gettext(
                "There are more rows than were counted. Narrow the search first. Nothing was done."
            )
            self.message_user(request, refusal, messages.ERROR)
            return None
        return super().response_action(request, queryset, *args)

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The form of an object. What is posted for a link is a key: nothing else could be shown again."""
        for field in self.opts.fields:
            text = request.POST.get(field.name)
            if isinstance(field, ForeignKey) and text and not is_value(field, text):
                raise BadRequest(gettext("A posted link has no valid key."))
        return super().changeform_view(request, *args, **kwargs)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A link to an empty form may say whom it is about; anything else in its address is nobody's."""
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
        """What stands in the way of a deletion, kind by kind: Django would read and list every row of it."""
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
    """Whether a field, or the one that it refers to, can hold this."""
    field = getattr(field, "target_field", field)
    try:
        field.run_validators(field.to_python(text))  # type: ignore[union-attr]
    except ValidationError:
        return False
    return True
