"""Problem details (RFC 9457): the one form for every error of the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import APIException

from foa.monitoring.logs import request_id
from ratings.arena.api.fields import WithoutEmpty
from ratings.formats.problems import Fault
from ratings.rbb.serializers import Text

MEDIA_TYPE: Final = "application/problem+json"

KINDS: Final = {
    "invalid": "A field or a parameter is missing, unknown or malformed. `errors` names each.",
    "unreadable": "The body isn’t JSON in UTF-8.",
    "bad-request": "The address or a header can’t be read, for example because of a NUL byte or a wrong "
    "host.",
    "unauthorized": "The token is missing, wrong or no longer valid. Get a new one at `/oauth/token/`.",
    "scope-missing": "The token doesn’t have the scope named in `scope`. Ask us for it.",
    "not-active": "We have withdrawn this server’s or organizer’s access.",
    "forbidden": "You aren’t allowed to do this.",
    "not-found": "We don’t have this game, member, list or line.",
    "no-such-address": "The API has nothing at this address.",
    "method-not-allowed": "You can’t use this method at this address. `Allow` lists the methods you can use.",
    "contradiction": (
        "It contradicts what is stored, or RBB 2.4. `stored` and `sent` are the two versions; "
        "`differing` names the fields. Nothing was changed."
    ),
    "idempotency-key-reused": (
        "The `Idempotency-Key` was used for another request within the last day. Nothing was done. Use a "
        "new key."
    ),
    "cursor-gone": (
        "Our database was restored from a backup after you got this cursor. Discard what you have read "
        "of the feed, and start again without a cursor, at the address in `begin`."
    ),
    "length-required": "Send `Content-Length`: chunked bodies aren’t accepted.",
    "too-large": "The body has more bytes than `most` allows. Nothing was stored.",
    "too-many-lines": "The body has more lines than `most` allows. Nothing was stored. Send several "
    "requests.",
    "unsupported-media-type": (
        "Send `application/json`, or many games as `application/x-ndjson`, in UTF-8 and not compressed."
    ),
    "refused": (
        "We can’t accept it. `errors` has every reason with its field and, if there is one, its article."
    ),
    "too-many": "Too many requests. Wait for the number of seconds in `Retry-After`.",
    "busy": "Too many large requests at once. Nothing was stored. Wait as long as `Retry-After` says.",
    "service-unavailable": "The database isn’t available. Send the same request again after `Retry-After`.",
    "internal-server-error": "Something went wrong on our side. The `request_id` is in our log.",
}
"""Meanings of the kinds. A kind never changes, because clients may depend on it."""


def faults_of(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return a reader's faults for a problem. The field is given separately, so texts don't begin with it."""
    return tuple(
        one._replace(text=one.text.removeprefix(one.field).removeprefix(":").lstrip()) for one in faults
    )


class Problem(APIException):
    """An error with an HTTP status and a text for the person who has to fix it.

    ``kind`` never changes and is meant for programs, such as ``contradiction``. ``faults``: each with its
    field, or a path such as ``spans.0.full_from``. ``article``: the article of the regulations that is the
    reason, if any. ``more``: further members of the answer.
    """

    def __init__(
        self,
        status: HTTPStatus,
        kind: str,
        detail: str,
        *,
        faults: tuple[Fault, ...] = (),
        article: str = "",
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status_code = status
        self.kind = kind
        self.faults = faults
        self.article = article
        self.headers = dict(headers or {})
        self.more = more


class FaultSerializer(WithoutEmpty):
    """One error."""

    field = serializers.CharField(
        allow_blank=True, help_text="Where the error is, such as `spans.0.full_from`."
    )
    detail = serializers.CharField(source="text")
    article = serializers.CharField(required=False, help_text="The article it is based on.")
    line = serializers.IntegerField(required=False, help_text="Line of the file, from 1.")


def _type_of(kind: str) -> str:
    return f"{reverse('arena:api')}#problem-{kind}" if kind in KINDS else "about:blank"


class ProblemSerializer(WithoutEmpty):
    """A problem (RFC 9457). Some problems have further members."""

    type = Text(source="kind", value=_type_of)
    title = Text(source="status_code", value=lambda status: HTTPStatus(status).phrase)
    status = serializers.IntegerField(source="status_code")
    detail = serializers.CharField(help_text="In words, in the language of Accept-Language.")
    kind = serializers.CharField(help_text="For programs, such as `contradiction`. Kinds never change.")
    article = serializers.CharField(required=False, help_text="The article it is based on.")
    errors = FaultSerializer(source="faults", many=True, required=False)
    request_id = Text(
        source="*",
        value=lambda _problem: request_id.get(),
        required=False,
        help_text="The same as in the header X-Request-ID and in our log.",
    )

    def to_representation(self, instance: Problem) -> dict[str, Any]:
        return super().to_representation(instance) | instance.more


PROBLEM: Final = ProblemSerializer()
"""The serializer of problems, made once."""


def problem_outside_views(status: HTTPStatus, kind: str, detail: str) -> JsonResponse:
    """Return a problem as an answer where no view of the API does it."""
    content = PROBLEM.to_representation(Problem(status, kind, detail))
    return JsonResponse(content, status=status, content_type=MEDIA_TYPE)


def not_found(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
    """Return the answer for an address that the API doesn't have."""
    told = _("The API has nothing at this address.")
    if request.path.endswith("/"):
        told = _("The API has nothing at this address. Remove the slash at the end.")
    return problem_outside_views(HTTPStatus.NOT_FOUND, "no-such-address", told)
