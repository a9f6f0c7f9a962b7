"""Pages to try the public operations of the API: a form of the parameters leads to the filled address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from importlib import import_module
from posixpath import normpath
from typing import Any, Final
from urllib.parse import quote, unquote, urlencode

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import resolve
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.generic import View

from foa.web.caching import cached_for_visitors
from ratings.arena.api.public_pages import ANY_TEXT
from ratings.arena.api.reference import in_order, is_open, kind_of, text_of
from ratings.arena.api.schema import openapi
from ratings.arena.filters import MomentField
from ratings.office import rooms
from ratings.office.models import ChangeSet
from ratings.rbb.models import ArenaEvent, RatingChange, RatingList
from ratings.rbb.models.fields import EventType
from ratings.rules.time_controls import Category

_LARGEST: Final = 2**63 - 1
"""Largest number in a database."""


class TryForm(forms.Form):
    """The parameters of an operation, as the schema describes them."""

    def __init__(self, path: str, operation: Mapping[str, Any], data: Mapping[str, str]) -> None:
        self.path, self.parameters = path, in_order(path, operation)
        names = {one["name"] for one in self.parameters}
        # Whoever comes from the page of the API has sent nothing yet.
        is_sent = bool(names & data.keys())
        super().__init__(data if is_sent else None, initial={} if is_sent else _values(operation))
        for one in self.parameters:
            self.fields[one["name"]] = _field(one)

    def clean(self) -> dict[str, Any]:
        """Return the values; a value of the path with which another address would be meant is refused."""
        found = super().clean() or {}
        examples = {one["name"]: _example(one) for one in self.parameters if one["in"] == "path"}
        view = _view_at(_filled(self.path, examples))
        for name in examples.keys() & found.keys():
            if _view_at(_filled(self.path, {**examples, name: found[name]})) is not view:
                told = _("“%(value)s” can’t be part of this address.")
                self.add_error(name, ValidationError(told, params={"value": found[name]}))
        return found

    def address(self) -> str:
        """Return the filled address, without the parameters that were left blank."""
        query = {
            one["name"]: _as_text(value)
            for one in self.parameters
            if one["in"] == "query" and (value := self.cleaned_data[one["name"]]) not in (None, "")
        }
        path = _filled(self.path, self.cleaned_data)
        return f"{path}?{urlencode(query)}" if query else path

    @property
    def needed(self) -> list[forms.BoundField]:
        return [field for field in self if field.field.required]

    @property
    def optional(self) -> list[forms.BoundField]:
        return [field for field in self if not field.field.required]

    @property
    def optional_used(self) -> bool:
        """True if an optional parameter is filled in or wrong, so that it has to be shown."""
        return any(field.errors or field.value() for field in self.optional)


@method_decorator(cached_for_visitors, name="dispatch")
class TryView(View):
    """The page of an operation's form. A valid form redirects to the API."""

    def get(self, request: HttpRequest, operation: str) -> HttpResponse:
        """Answer in English, like the page of the API; raises Http404 for what visitors can't open."""
        with translation.override("en"):
            path, told = _open_operation(operation)
            form = TryForm(path, told, request.GET)
            if form.is_valid():
                return HttpResponseRedirect(form.address())
            context = {"form": form, "path": path, "id": operation, "title": told["summary"]}
            response = render(request, "arena/try.html", context, status=400 if form.errors else 200)
        response.headers["X-Robots-Tag"] = "noindex"
        return response


def _open_operation(name: str) -> tuple[str, Mapping[str, Any]]:
    for path, methods in openapi()["paths"].items():
        for method, operation in methods.items():
            if operation["operationId"] == name and is_open(method, operation) and "parameters" in operation:
                return path, operation
    raise Http404(_("This operation can’t be tried here."))


def _field(parameter: Mapping[str, Any]) -> forms.Field:
    """Return the form field of a parameter."""
    schema, required = parameter["schema"], parameter.get("required", False)
    name = format_html("<code>{}</code>", parameter["name"])
    # The choices of a field say what type it is.
    label = name if "enum" in schema else format_html("{} {}", name, kind_of(schema))
    options: dict[str, Any] = {"label": label, "required": required, "help_text": text_of(parameter)}
    if "enum" in schema:
        choices = [(str(value), str(value)) for value in schema["enum"]]
        wrong = _("“%(value)s” isn’t one of the choices.")
        blank = [] if required else [("", "")]
        return forms.ChoiceField(choices=blank + choices, error_messages={"invalid_choice": wrong}, **options)
    if schema["type"] == "integer":
        least, most = schema.get("minimum", 0), schema.get("maximum", _LARGEST)
        wrong = _("Enter a whole number from %(least)d to %(most)d.") % {"least": least, "most": most}
        words = dict.fromkeys(("invalid", "min_value", "max_value"), wrong)
        return forms.IntegerField(min_value=least, max_value=most, error_messages=words, **options)
    match schema.get("format"):
        case "date":
            widget = forms.DateInput(attrs={"type": "date"})
            wrong = _("Enter a date such as 2026-01-31.")
            return forms.DateField(
                input_formats=["%Y-%m-%d"], widget=widget, error_messages={"invalid": wrong}, **options
            )
        case "date-time":
            return MomentField(**options)
    length = {"max_length": schema.get("maxLength")}
    if schema.get("pattern", ANY_TEXT) == ANY_TEXT:
        return forms.CharField(**length, **options)
    wrong = _("This doesn’t match the description below.")
    return forms.RegexField(schema["pattern"], error_messages={"invalid": wrong}, **length, **options)


def _filled(path: str, values: Mapping[str, Any]) -> str:
    """Return a path with values in place of its parameters."""
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", quote(_as_text(value), safe=""))
    return path


def _as_text(value: Any) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _view_at(path: str) -> Any:
    """Return the view that answers at this path; None for a path that browsers would shorten."""
    path = unquote(path)
    return getattr(resolve(path).func, "cls", None) if normpath(path) == path else None


def _example(parameter: Mapping[str, Any]) -> Any:
    """Return the first example of a parameter, None without one."""
    return next((one["value"] for one in parameter.get("examples", {}).values()), None)


def _values(operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with which the operation answers: of a row that exists, or else the schema's examples."""
    parameters = operation["parameters"]
    found = {one["name"]: value for one in parameters if (value := _example(one)) is not None}
    examples = dict(_EXAMPLES)
    for room in rooms.installed():
        if room.api:
            examples |= getattr(import_module(room.api), "EXAMPLES", {})
    row = examples.get(operation["tags"][0], dict)()
    return found | {name: value for name, value in row.items() if name in found}


def _latest_game() -> dict[str, Any]:
    """Return the latest game of the ledger, and its players."""
    games = RatingChange.objects.of_kind(EventType.GAME).select_related("member", "opponent")
    line = games.order_by("-pk").first()
    if line is None or line.opponent is None:
        return _id_of(None)
    player, opponent = line.member.username, line.opponent.username
    return {
        "id": line.game_id,
        "username": player,
        "opponent": opponent,
        "members": f"{player},{opponent}",
    }


def _latest_lists() -> dict[str, Any]:
    """Return the latest monthly list, and the latest one that a member requested."""
    monthly = RatingList.objects.monthly().first()
    found = _id_of(RatingList.objects.requested().first())
    if monthly is None or monthly.month is None:
        return found
    category = Category(monthly.category).slug
    return {**found, "category": category, "month": f"{monthly.month:%Y-%m}", "revision": monthly.revision}


def _latest_review() -> dict[str, Any]:
    """Return the month before the latest list, which has a review."""
    monthly = RatingList.objects.monthly().first()
    if monthly is None or monthly.month is None:
        return {}
    return {"month": f"{monthly.month - timedelta(days=1):%Y-%m}"}


def _id_of(row: Model | None) -> dict[str, Any]:
    """Return the number of a row, None if there is none: the number of the schema would get 404."""
    return {"id": None if row is None else row.pk}


_EXAMPLES: Final[Mapping[str, Callable[[], Mapping[str, Any]]]] = {
    "all-games": _latest_game,
    "compare": _latest_game,
    "decisions": lambda: _id_of(ChangeSet.objects.public().order_by("-applied_at", "-pk").first()),
    "events": lambda: _id_of(ArenaEvent.objects.order_by("-pk").first()),
    "explanations": lambda: _id_of(RatingChange.objects.order_by("-pk").first()),
    "lists": _latest_lists,
    "members": _latest_game,
    "months": _latest_review,
}
"""Functions that return parameters of the latest rows, by the first word of the address."""
