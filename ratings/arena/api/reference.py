"""The documentation of the API for developers: as a page, operations first, and as OpenAPI."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.generic import TemplateView
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from foa.web.caching import cached_for_visitors
from ratings.arena.api.problems import KINDS
from ratings.arena.api.public_pages import PublicView
from ratings.arena.api.schema import openapi
from ratings.arena.api.streams import EVENTS

_METHODS: Final = ("get", "put", "post", "patch", "delete")
_REF: Final = "#/components/schemas/"


class Field(NamedTuple):
    """A parameter, or a member of an object."""

    name: str
    kind: SafeString
    required: bool
    text: SafeString


class Answer(NamedTuple):
    """A status and the content of its answer."""

    status: str
    text: SafeString
    kind: SafeString
    example: str


class Operation(NamedTuple):
    """An operation; ``try_at``: the address at which a visitor can try it, empty if they can't."""

    id: str
    method: str
    path: str
    summary: str
    text: SafeString
    scope: str
    parameters: list[Field]
    try_at: str
    body: SafeString
    examples: list[tuple[str, str]]
    answers: list[Answer]


def operations(schema: Mapping[str, Any]) -> dict[str, list[Operation]]:
    """Return all operations by subject, which is the first word of the address."""
    found = defaultdict(list)
    for path, methods in schema["paths"].items():
        for method in _METHODS:
            if operation := methods.get(method):
                found[operation["tags"][0]].append(_operation(path, method, operation))
    return dict(found)


def objects(schema: Mapping[str, Any]) -> dict[str, tuple[SafeString, list[Field]]]:
    """Return each object by name: its description or its alternatives, and its members."""
    return {
        name: (kind_of(told) if "oneOf" in told else text_of(told), list(_members(told)))
        for name, told in schema["components"]["schemas"].items()
        if "properties" in told or "oneOf" in told
    }


def problems() -> dict[str, SafeString]:
    """Return the meaning of each kind of problem."""
    return {kind: marked(text) for kind, text in KINDS.items()}


def in_order(path: str, operation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of an operation, those of the path first."""

    def place(one: Mapping[str, Any]) -> int:
        return path.index(f"{{{one['name']}}}") if one["in"] == "path" else len(path)

    return sorted(operation.get("parameters", ()), key=place)


def example_address(path: str, operation: Mapping[str, Any]) -> str:
    """Return an address of an operation, with the examples of its parameters."""
    query = []
    for parameter in operation.get("parameters", ()):
        for example in list(parameter.get("examples", {}).values())[:1]:
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", str(example["value"]))
            else:
                query.append(f"{parameter['name']}={example['value']}")
    return f"{path}?{'&'.join(query)}" if query else path


def is_open(method: str, operation: Mapping[str, Any]) -> bool:
    """Return True if anybody can open the operation in a browser: it needs no token, and isn't a stream."""
    if method != "get" or operation["security"] != [{}]:
        return False
    return EVENTS not in operation["responses"]["200"]["content"]


def _try_at(path: str, method: str, operation: Mapping[str, Any]) -> str:
    if not is_open(method, operation):
        return ""
    return reverse("arena:try_it", args=(operation["operationId"],)) if operation.get("parameters") else path


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> Operation:
    bodies = operation.get("requestBody", {}).get("content", {})
    request = f"{method.upper()} {example_address(path, operation)}"
    examples = [
        (one.get("summary") or name, f"{request}\nContent-Type: {media}\n\n{_as_text(one['value'], media)}")
        for media, body in ((_media(media, body), body) for media, body in bodies.items())
        for name, one in body.get("examples", {}).items()
    ]
    (security,) = operation["security"]
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        text=marked(operation.get("description", "")),
        scope=", ".join(scope for scopes in security.values() for scope in scopes),
        parameters=[
            Field(one["name"], kind_of(one["schema"]), one.get("required", False), text_of(one))
            for one in in_order(path, operation)
        ],
        try_at=_try_at(path, method, operation),
        body=_bodies(bodies),
        examples=examples or [("", request)],
        answers=[
            Answer(status, text_of(answer), _bodies(answer.get("content", {})), _example(answer))
            for status, answer in operation["responses"].items()
        ],
    )


def _members(told: Mapping[str, Any]) -> Iterator[Field]:
    required = told.get("required", ())
    for name, one in told.get("properties", {}).items():
        yield Field(name, kind_of(one), name in required, text_of(one))


def _bodies(bodies: Mapping[str, Any]) -> SafeString:
    """Return the description of a body, for each of its media types."""
    return format_html_join(
        ", ", "{} ({})", ((kind_of(body.get("schema", {})), media) for media, body in bodies.items())
    )


def _media(media: str, body: Mapping[str, Any]) -> str:
    """Return the media type that says most about a body: of lines, theirs."""
    told: str = body.get("schema", {}).get("contentMediaType", media)
    return told


def kind_of(schema: Mapping[str, Any]) -> SafeString:
    """Return the type of a value; for an object, its name with a link."""
    if "contentSchema" in schema:
        return format_html("lines of {}", kind_of(schema["contentSchema"]))
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REF)
        return format_html('<a href="#object-{0}">{0}</a>', name)
    for together in ("allOf", "oneOf", "anyOf"):
        if together in schema:
            return format_html_join(" / ", "{}", ((kind_of(one),) for one in schema[together]))
    if "enum" in schema:
        return format_html_join(", ", "<code>{}</code>", ((_as_word(value),) for value in schema["enum"]))
    if "items" in schema:
        return format_html("[{}, …]", kind_of(schema["items"]))
    kinds = schema.get("type", "any")
    words = " / ".join([kinds] if isinstance(kinds, str) else kinds)
    if "format" in schema:
        words = f"{words} ({schema['format']})"
    return format_html("{}", words)


def _as_word(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value)


def text_of(one: Mapping[str, Any]) -> SafeString:
    return marked(one.get("description", ""))


def marked(text: str) -> SafeString:
    """Return a text with `code` in grave accents, one or two, marked up.

    Docstrings have straight apostrophes.
    """
    parts = text.replace("``", "`").replace("'", "’").split("`")
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<code>{}</code>", part) if number % 2 else part,)
            for number, part in enumerate(parts)
        ),
    )


def _example(answer: Mapping[str, Any]) -> str:
    """Return the first example of an answer, or an empty text."""
    for media, body in answer.get("content", {}).items():
        for one in body.get("examples", {}).values():
            return _as_text(one["value"], _media(media, body))
    return ""


def _as_text(value: Any, media: str) -> str:
    if isinstance(value, str):
        return value  # a file
    indent = None if "ndjson" in media else 2
    return json.dumps(value, ensure_ascii=False, indent=indent)


@extend_schema(exclude=True)
class SchemaView(PublicView):
    """The address of the OpenAPI 3.1 document."""

    def get(self, request: Request) -> Response:
        """Return the description of all operations."""
        return Response(openapi())


@method_decorator(cached_for_visitors, name="dispatch")
class ApiPageView(TemplateView):
    """The page that shows the OpenAPI document's operations with parameters, body, answers and examples."""

    template_name = "arena/api.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer entirely in English, as the API does."""
        with translation.override("en"):
            response = cast(TemplateResponse, super().get(request, *args, **kwargs))
            return response.render()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        schema = openapi()
        return super().get_context_data(
            operations=operations(schema), objects=objects(schema), problems=problems(), **kwargs
        )
