"""The history of an object in the admin: who changed what, when and why, read from :mod:`foa.history`.

There is no way back from here: the library's own pages revert by a form that saves whatever was posted. What
was wrong is corrected where it was entered.
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


class _OpenedForm(StoredForm):
    """A form that was opened when the object stood as the posted ``opened`` says."""

    model_admin: Any

    def clean(self) -> Any:
        """Raise ValidationError with what somebody else has changed since."""
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
                    gettext("Compare this with what you entered. Saving again replaces it."),
                ]
            )
        return cleaned


class HistoryAdmin(OfficeAdmin[M]):
    """The pages of a model whose changes are kept."""

    object_history_template = "admin/history.html"
    stored_form = _OpenedForm
    history_of: tuple[str, ...] = ()
    """Rows of other models that belong to an object: their history stands on its page too."""

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        """The page, which knows how the object stands while it is shown."""
        obj = context.get("original")
        opened = None if obj is None else signing.dumps(self.state_of(obj), compress=True)
        return super().render_change_form(request, {**context, "opened": opened}, *args, **kwargs)

    def state_of(self, obj: M) -> dict[str, Any]:
        """How an object stands, with the rows that belong to it."""
        # Read again: the form that was posted may have written into this one.
        stored = self.model._base_manager.filter(pk=obj.pk).first()
        state = {} if stored is None else _values(stored)
        for name in self.history_of:
            for row in getattr(obj, name).order_by("pk"):
                state |= {f"{name} {row.pk} {field}": value for field, value in _values(row).items()}
        return state

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
    """The rows of the history of a model, with what they refer to."""
    history = model.history.model
    linked = [field.name for field in history.tracked_fields if isinstance(field, ForeignKey)]
    return history.objects.select_related("history_user", *linked)


def entries_of(model: Any, records: Sequence[Any]) -> list[Entry]:
    """What these rows of the history of a model say, each beside the row before it of the same object."""
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
    """The fields of a row as text; of long ones a digest, which tells whether they changed."""
    found = {}
    for field in row._meta.concrete_fields:
        value = field.value_from_object(row)
        text = "" if value is None else field.value_to_string(row)
        if len(text) > _LONGEST_VALUE:
            text = _DIGEST + hashlib.sha256(text.encode()).hexdigest()
        found[field.name] = text
    return found


def _changed_by(instance: Any) -> str:
    """Who changed an object last, and when, where that is known."""
    last = instance.history.select_related("history_user").order_by("-pk").first()
    if last is None:
        return gettext("This has changed since you opened the form.")
    words = {"who": last.history_user or gettext("A job or a game server"), "when": utc(last.history_date)}
    return gettext("%(who)s changed this on %(when)s, after you had opened the form.") % words


def _change_text(model_admin: HistoryAdmin[Any], name: str, was: str | None, now: str | None) -> str:
    """A change, with the name of the field and its values."""
    model, (relation, *_key, column) = model_admin.model, ["", *name.split(" ")][-3:]
    if relation:
        model = model._meta.get_field(relation).related_model
    field = model._meta.get_field(column)

    def shown(value: str | None) -> str:
        if not value:
            return NOTHING
        if value.startswith(_DIGEST):
            return gettext("a long text")
        if isinstance(field, ForeignKey):
            return str(field.related_model._base_manager.filter(pk=value).first() or value)
        return value

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
