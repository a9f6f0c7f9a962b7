"""The OpenAPI description of the API: the common parts of every operation."""

from __future__ import annotations

import json
from functools import cache
from http import HTTPStatus
from threading import Lock
from typing import Any, Final, Literal

from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from ratings.arena.api.parsing import LINES, NDJSON
from ratings.arena.api.problems import MEDIA_TYPE, ProblemSerializer
from ratings.arena.scopes import Scope

_making: Final = Lock()
_TOKEN: Final = "token"  # noqa: S105  # the name of the way to log in


_ALWAYS: Final = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.TOO_MANY_REQUESTS,
    # During a database outage.
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_WITH_TOKEN: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_WITH_BODY: Final = (
    HTTPStatus.LENGTH_REQUIRED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
)


class ArenaSchema(AutoSchema):
    """An operation of the API, with the problems that any operation can have.

    A view describes its own problems, such as 409, with ``ProblemSerializer``.
    """

    def get_auth(self) -> list[dict[str, list[str]]]:
        """Require a token with the view's scope, or none if the scope is None."""
        scope = self.view.scope
        return [{}] if scope is None else [{_TOKEN: [str(scope.value)]}]

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> dict[str, Any]:
        bodies = super()._get_response_bodies(direction)
        for status in self._problems():
            code = str(int(status))
            bodies.setdefault(code, self._get_response_for_code(ProblemSerializer, code))
        if self.method == "GET":
            bodies.setdefault("304", {"description": "Unchanged since the response with this ETag."})
        return dict(sorted(bodies.items()))

    def _get_response_for_code(
        self, serializer: Any, status_code: str, media_types: Any = None, direction: str = "response"
    ) -> dict[str, Any]:
        """Give problems their own media type, whatever the view's is, and describe each status in words."""
        if media_types is None and int(status_code) >= HTTPStatus.BAD_REQUEST:
            media_types = [MEDIA_TYPE]
        told: dict[str, Any] = super()._get_response_for_code(  # type: ignore[no-untyped-call]
            serializer, status_code, media_types, direction
        )
        return {**told, "description": told["description"] or HTTPStatus(int(status_code)).phrase}

    def _problems(self) -> tuple[HTTPStatus, ...]:
        has_body = self.method in ("POST", "PUT", "PATCH")
        return (
            *_ALWAYS,
            # Also raised for a page of a list whose first row is gone.
            HTTPStatus.NOT_FOUND,
            *(_WITH_TOKEN if self.view.scope is not None else ()),
            *(_WITH_BODY if has_body else ()),
        )


def describe_tokens(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Explain how to get a token: a hook of the generator."""
    result["components"]["securitySchemes"] = {
        _TOKEN: {
            "type": "oauth2",
            "flows": {
                "clientCredentials": {
                    "tokenUrl": "/oauth/token/",
                    "scopes": {scope.value: str(scope.label) for scope in Scope},
                }
            },
        }
    }
    return result


def close_requests(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """State that request objects have no other fields: a hook of the generator.

    Defaults are told in words, because generated clients would require fields that have one.
    """
    for name, told in result["components"]["schemas"].items():
        if name.endswith("Request"):
            told["additionalProperties"] = False
        for field in told.get("properties", {}).values():
            if "default" in field:
                default = f"Default: {json.dumps(field.pop('default'))}."
                field["description"] = " ".join(filter(None, (field.get("description"), default)))
    return result


def allow_empty_parameters(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """State that an optional parameter without a value is as if left out: a hook of the generator."""
    for methods in result["paths"].values():
        for operation in methods.values():
            for one in operation.get("parameters", ()):
                if one["in"] == "query" and not one.get("required"):
                    one["allowEmptyValue"] = True
    return result


def describe_lines(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Describe bodies of lines as text, for generated clients, which know no NDJSON: a hook of the generator.

    Each line is an object of ``contentSchema``.
    """
    for methods in result["paths"].values():
        for operation in methods.values():
            body = operation.get("requestBody", {})
            if NDJSON in body.get("content", {}):
                # An empty body has no line.
                body.pop("required", None)
                body["content"][LINES] = body["content"].pop(NDJSON)
            answers = (answer.get("content", {}) for answer in operation["responses"].values())
            for content in (body.get("content", {}), *answers):
                for media in content.keys() & {NDJSON, LINES}:
                    content[media]["schema"] = {
                        "type": "string",
                        "format": "binary",
                        "contentMediaType": NDJSON,
                        "contentSchema": content[media]["schema"],
                    }
    return result


def openapi() -> dict[str, Any]:
    """Return the whole description in English, like other developers' documents. It is built once."""
    # While it is first built, another thread would find the generator's extensions half loaded.
    with _making:
        return _openapi()


@cache
def _openapi() -> dict[str, Any]:
    with translation.override("en"):
        generator = SchemaGenerator()  # type: ignore[no-untyped-call]
        found: dict[str, Any] = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    return found
