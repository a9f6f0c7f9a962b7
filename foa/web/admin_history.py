"""History pages of the admin: who changed what, when and why, from :mod:`foa.history`.

They don't revert changes: the library's own pages do so by a form that saves whatever was posted. Mistakes
are corrected where they were entered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from django.contrib.admin.utils import display_for_field, unquote
from django.contrib.admin.views.main import PAGE_VAR
from django.core import signing
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import DateTimeField, Field, ForeignKey, Model, OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext

from foa.history import STOOD_BEFORE
from foa.text import NOTHING, utc
from foa.web.admin import CappedPaginator, OfficeAdmin, StoredForm, is_value

_ROWS_A_PAGE: Final = 100
_LONGEST_VALUE: Final = 200
_DIGEST: Final = "sha256:"

M = TypeVar("M", bound=Model)


class Difference(NamedTuple):
    """Changed field with its old and new value, as text."""

    field: str
    old: str
    new: str


class Entry(NamedTuple):
    """Row of the history; ``name`` is the object's name at that time."""

    record: Any
    what: str
    name: str
    reason: str
    differences: list[Difference]


class Table(NamedTuple):
    """Page of the history of one model."""

    opts: Any
    page: Any
    entries: list[Entry]


class _OpenedForm(StoredForm):
    """Form that posts the object's state when it was opened, as ``opened`` (signed)."""

    model_admin: Any

    def clean(self) -> Any:
        """Raise ValidationError naming the fields that have changed since the form was opened."""
        cleaned = super().clean()
        try:
            opened = signing.loads(self.data.get("opened", ""))
        except signing.BadSignature:
            return cleaned
        now = self.model_admin.state_of(self.instance)
        changed = [name for name in {**opened, **now} if opened.get(name) != now.get(name)]
        if changed:
            raise ValidationError(
                [
                    _changed_by(self.instance),
                    *(
                        _change_text(self.model_admin, name, opened.get(name), now.get(name))
                        for name in changed
                    ),
                    gettext("Compare it with what you entered. If you save again, your version replaces it."),
                ]
            )
        return cleaned


class HistoryAdmin(OfficeAdmin[M]):
    """Admin pages of a model with a history."""

    object_history_template = "admin/history.html"
    stored_form = _OpenedForm
    history_of: tuple[str, ...] = ()
    """Relations to rows that belong to an object; its page shows their history too."""

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        """Render the form with the object's current state in it."""
        obj = context.get("original")
        opened = None if obj is None else signing.dumps(self.state_of(obj), compress=True)
        return super().render_change_form(request, {**context, "opened": opened}, *args, **kwargs)

    def state_of(self, obj: M) -> dict[str, Any]:
        """Return the stored values of an object and of the rows that belong to it."""
        # Read again: the posted form may have changed this instance.
        stored = self.model._base_manager.filter(pk=obj.pk).first()
        state = {} if stored is None else _values(stored)
        for name in self.history_of:
            for row in getattr(obj, name).order_by("pk"):
                state |= {f"{name} {row.pk} {field}": value for field, value in _values(row).items()}
        return state

    def get_urls(self) -> list[URLPattern]:
        """Add the history of all objects, which includes deleted ones."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_changes"
        return [
            path("history/", self.admin_site.admin_view(self.changes_view), name=name),
            *super().get_urls(),
        ]

    def changes_view(self, request: HttpRequest) -> HttpResponse:
        """Show all changes of objects of this model, latest first."""
        return self._response(request, None, [self._table(self.model, {}, request)])

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Show the changes of one object, even if deleted, and of the rows that belong to it."""
        key = unquote(object_id)
        if not is_value(self.opts.pk, key):
            raise Http404(gettext("This object does not exist."))
        tables = [self._table(self.model, {self.opts.pk.name: key}, request)]
        for name in self.history_of:
            relation: Any = self.opts.get_field(name)
            tables.append(self._table(relation.related_model, {relation.field.name: key}, request))
        current = self.get_object(request, key)
        if current is None and not any(table.entries for table in tables):
            raise Http404(gettext("This object does not exist."))
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
        page = CappedPaginator(with_names(model).filter(**wanted).order_by("-pk"), _ROWS_A_PAGE).get_page(
            request.GET.get(PAGE_VAR)
        )
        return Table(model._meta, page, entries_of(model, list(page)))


def with_names(model: Any) -> Any:
    """Return the history rows of a model with their related objects."""
    history = model.history.model
    linked = [field.name for field in history.tracked_fields if isinstance(field, ForeignKey)]
    return history.objects.select_related("history_user", *linked)


def entries_of(model: Any, records: Sequence[Any]) -> list[Entry]:
    """Return these history rows as entries, each compared with the object's row before it."""
    rows = with_names(model)
    same = {model._meta.pk.name: OuterRef(model._meta.pk.name)}
    earlier = rows.model.objects.filter(pk__lt=OuterRef("pk"), **same).order_by("-pk").values("pk")
    before = dict(
        rows.model.objects.filter(pk__in=[record.pk for record in records])
        .order_by()
        .values_list("pk", Subquery(earlier[:1]))
    )
    stood = rows.in_bulk([pk for pk in before.values() if pk is not None])
    return [_entry(record, stood.get(before[record.pk])) for record in records]


def _values(row: Any) -> dict[str, str]:
    """Return the fields of a row as text, long ones as a digest that is enough to detect a change."""
    found = {}
    for field in row._meta.concrete_fields:
        value = field.value_from_object(row)
        text = "" if value is None else field.value_to_string(row)
        if len(text) > _LONGEST_VALUE:
            text = _DIGEST + hashlib.sha256(text.encode()).hexdigest()
        found[field.name] = text
    return found


def _changed_by(instance: Any) -> str:
    """Say who changed an object last, and when, if known."""
    last = instance.history.select_related("history_user").order_by("-pk").first()
    if last is None:
        return gettext("This has changed since you opened the form.")
    words = {"who": last.history_user or gettext("A job or a game server"), "when": utc(last.history_date)}
    return gettext("%(who)s changed this on %(when)s, after you opened the form.") % words


def _change_text(model_admin: HistoryAdmin[Any], name: str, was: str | None, now: str | None) -> str:
    """Describe a change: the name of the field, and its old and new value."""
    model, (relation, *_key, column) = model_admin.model, ["", *name.split(" ")][-3:]
    if relation:
        model = model._meta.get_field(relation).related_model
    field = model._meta.get_field(column)
    choices = {str(stored): name for stored, name in field.flatchoices}

    def shown(value: str | None) -> str:
        if not value:
            return NOTHING
        if value.startswith(_DIGEST):
            return gettext("a long text")
        if isinstance(field, ForeignKey):
            return str(field.related_model._base_manager.filter(pk=value).first() or value)
        return str(choices.get(value, value))

    return f"{capfirst(field.verbose_name)}: {shown(was)} → {shown(now)}"


def _entry(record: Any, stood: Any) -> Entry:
    if record.history_change_reason == STOOD_BEFORE:
        return Entry(record, gettext("Original values"), _name(record), "", [])
    changed = record.history_type == "~" and stood is not None
    return Entry(
        record,
        record.get_history_type_display(),
        _name(record),
        record.history_change_reason or "",
        list(_differences(stood, record)) if changed else [],
    )


def _name(record: Any) -> str:
    """Return the object's name at that time; related objects have their current names."""
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
