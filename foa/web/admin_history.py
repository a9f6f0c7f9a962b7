"""The history of an object in the admin: who changed what, when and why, read from :mod:`foa.history`.

There is no way back from here: the library's own pages revert by a form that saves whatever was posted. What
was wrong is corrected where it was entered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeVar

from django.contrib.admin.utils import display_for_field, unquote
from django.contrib.admin.views.main import PAGE_VAR
from django.core.exceptions import PermissionDenied
from django.db.models import DateTimeField, Field, ForeignKey, Model, OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext

from foa.history import STOOD_BEFORE
from foa.text import NOTHING, utc
from foa.web.admin import CappedPaginator, OfficeAdmin, is_value

_ROWS_A_PAGE: Final = 100
_LONGEST_VALUE: Final = 200

M = TypeVar("M", bound=Model)


class Difference(NamedTuple):
    """A field that a change gave another value, in words."""

    field: str
    old: str
    new: str


class Entry(NamedTuple):
    """A row of the history: of an object by this name, as it was then."""

    record: Any
    what: str
    name: str
    reason: str
    differences: list[Difference]


class Table(NamedTuple):
    """A page of the history of one kind of object."""

    opts: Any
    page: Any
    entries: list[Entry]


class HistoryAdmin(OfficeAdmin[M]):
    """The pages of a model whose changes are kept."""

    object_history_template = "admin/history.html"
    history_of: tuple[str, ...] = ()
    """Rows of other models that belong to an object: their history stands on its page too."""

    def get_urls(self) -> list[URLPattern]:
        """Beside the history of each object that of all, where deleted ones are found."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_changes"
        return [
            path("history/", self.admin_site.admin_view(self.changes_view), name=name),
            *super().get_urls(),
        ]

    def changes_view(self, request: HttpRequest) -> HttpResponse:
        """All changes of objects of this kind, latest first."""
        return self._response(request, None, [self._table(self.model, {}, request)])

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """The changes of one object, also of one that was deleted, and of what belongs to it."""
        key = unquote(object_id)
        if not is_value(self.opts.pk, key):
            raise Http404(gettext("There is no such object."))
        tables = [self._table(self.model, {self.opts.pk.name: key}, request)]
        for name in self.history_of:
            relation: Any = self.opts.get_field(name)
            tables.append(self._table(relation.related_model, {relation.field.name: key}, request))
        current = self.get_object(request, key)
        if current is None and not any(table.entries for table in tables):
            raise Http404(gettext("There is no such object."))
        return self._response(request, current, tables)

    def _response(self, request: HttpRequest, current: M | None, tables: list[Table]) -> HttpResponse:
        if not self.has_view_or_change_permission(request, current):
            raise PermissionDenied
        request.current_app = self.admin_site.name
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("History: %s") % (current or capfirst(self.opts.verbose_name_plural)),
            "tables": tables,
            "page_var": PAGE_VAR,
            "object": current,
            "opts": self.opts,
        }
        return TemplateResponse(request, self.object_history_template, context)

    def _table(self, model: Any, wanted: dict[str, Any], request: HttpRequest) -> Table:
        history = model.history.model
        linked = [field.name for field in history.tracked_fields if isinstance(field, ForeignKey)]
        rows = history.objects.select_related("history_user", *linked)
        page = CappedPaginator(rows.filter(**wanted).order_by("-pk"), _ROWS_A_PAGE).get_page(
            request.GET.get(PAGE_VAR)
        )
        same = {model._meta.pk.name: OuterRef(model._meta.pk.name)}
        earlier = history.objects.filter(pk__lt=OuterRef("pk"), **same).order_by("-pk").values("pk")
        before = dict(
            history.objects.filter(pk__in=[record.pk for record in page])
            .order_by()
            .values_list("pk", Subquery(earlier[:1]))
        )
        stood = rows.in_bulk([pk for pk in before.values() if pk is not None])
        return Table(model._meta, page, [_entry(record, stood.get(before[record.pk])) for record in page])


def _entry(record: Any, stood: Any) -> Entry:
    if record.history_change_reason == STOOD_BEFORE:
        return Entry(record, gettext("Stood so before the first change"), _name(record), "", [])
    changed = record.history_type == "~" and stood is not None
    return Entry(
        record,
        record.get_history_type_display(),
        _name(record),
        record.history_change_reason or "",
        list(_differences(stood, record)) if changed else [],
    )


def _name(record: Any) -> str:
    """What the object was called then; what it refers to is called what it is now."""
    instance = record.instance
    for field in record.tracked_fields:
        if isinstance(field, ForeignKey) and getattr(record, field.attname) is not None:
            if (referred := getattr(record, field.name)) is None:
                return gettext("number %(number)s") % {"number": instance.pk}
            setattr(instance, field.name, referred)
    return str(instance)


def _differences(old: Any, new: Any) -> Iterator[Difference]:
    for field in new.tracked_fields:
        if getattr(old, field.attname) != getattr(new, field.attname):
            yield Difference(capfirst(field.verbose_name), _shown(old, field), _shown(new, field))


def _shown(record: Any, field: Field[Any, Any]) -> str:
    value = getattr(record, field.attname)
    if isinstance(field, ForeignKey) and value is not None:
        referred = getattr(record, field.name)
        return (
            gettext("deleted, number %(number)s") % {"number": value} if referred is None else str(referred)
        )
    if isinstance(field, DateTimeField):
        return utc(value)
    shown = display_for_field(value, field, NOTHING)
    return shown if isinstance(shown, SafeString) else Truncator(str(shown)).chars(_LONGEST_VALUE) or NOTHING
