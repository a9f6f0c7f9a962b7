"""A server's webhooks: subscribing, changing, renewing the secret, and sending a test message."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from ratings.arena.api.base import ApiView
from ratings.arena.api.games import problem_of
from ratings.arena.api.permissions import server_of
from ratings.arena.api.problems import Problem
from ratings.arena.api.public_pages import in_path
from ratings.arena.models import Webhook
from ratings.arena.scopes import Scope
from ratings.arena.services.keeping_answers import OtherRequestError, answer_once, kept_answer
from ratings.arena.services.webhooks import begin, change_webhook, checked, rotate, send_test
from ratings.formats.problems import Fault
from ratings.office.models import OutboxEntry

_ASKED: Final = {
    "url": "https://arena.example/hooks/ratings",
    "events": ["rating.changed", "list.published", "list.revised"],
}
_SHOWN: Final = {
    "id": 7,
    **_ASKED,
    "is_active": True,
    "stopped_because": "",
    "position": 4711,
    "created_at": "2026-11-22T20:00:00Z",
    "previous_secret_until": None,
}
_SECRET: Final = {"secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD9tNzUAcjkuU="}


_KEY: Final = in_path("key", "4711", "The number of the webhook.", kind=OpenApiTypes.INT)
_KEY_PATTERN: Final = r"[!#-\[\]-~]{1,100}"
_IDEMPOTENT: Final = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": rf'^("{_KEY_PATTERN}"|{_KEY_PATTERN})$'},
    OpenApiParameter.HEADER,
    description="A new UUID for each request. If you get no response, send the request again with the "
    "same key: for a day you get the same response, and nothing is done twice. Refused "
    "requests aren’t kept.",
)
_REFUSED: Final = problem_of("It can’t be done, or the Idempotency-Key was used for another request.")
# The IETF draft has it in quotes; many clients leave them out.
_IDEMPOTENCY_KEY: Final = re.compile(rf'"(?P<quoted>{_KEY_PATTERN})"|(?P<plain>{_KEY_PATTERN})')


class WebhookSerializer(serializers.Serializer[Webhook]):
    """One of your server's webhooks."""

    id = serializers.IntegerField(read_only=True)
    url = serializers.RegexField(
        r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        max_length=500,
        help_text="https, to a public address.",
    )
    events = serializers.ListField(
        child=serializers.ChoiceField(OutboxEntry.Event.choices),
        min_length=1,
        help_text="The events it gets.",
    )
    is_active = serializers.BooleanField(read_only=True)
    stopped_because = serializers.CharField(
        read_only=True, help_text="Why we stopped sending; empty unless we did."
    )
    position = serializers.IntegerField(
        read_only=True, help_text="Everything up to this position of the outbox has been queued for it."
    )
    created_at = serializers.DateTimeField(read_only=True)
    previous_secret_until = serializers.DateTimeField(
        source="previous_until",
        read_only=True,
        allow_null=True,
        help_text="Until then, messages are also signed with the last secret that was replaced. Secrets "
        "replaced earlier sign until a day after their own replacement.",
    )


class ChangedWebhookSerializer(WebhookSerializer):
    """Fields of a webhook that may be changed."""

    is_active = serializers.BooleanField(
        help_text="An inactive webhook collects no messages. Once active again, it gets messages from "
        "then on."
    )


class NewSecretSerializer(WebhookSerializer):
    """A webhook with its secret, which is shown only once."""

    secret = serializers.CharField(read_only=True, help_text="Signs the messages; shown only once.")


class WebhookListSerializer(serializers.Serializer[Any]):
    """The webhooks of a server."""

    webhooks = WebhookSerializer(many=True)


class TrialSerializer(serializers.Serializer[Any]):
    """The test message that the worker sends."""

    message_id = serializers.CharField()


class WebhooksView(ApiView):
    """The webhooks of a server."""

    scope = Scope.WEBHOOKS

    @extend_schema(
        operation_id="webhooks",
        summary="Your webhooks",
        responses=WebhookListSerializer,
        examples=[OpenApiExample("One webhook", {"webhooks": [_SHOWN]}, response_only=True)],
    )
    def get(self, request: Request) -> Response:
        """All webhooks of your server."""
        return Response(WebhookListSerializer({"webhooks": server_of(request).webhooks.all()}).data)

    @extend_schema(
        operation_id="add_webhook",
        summary="Get notified of changes",
        description=(
            "The response contains the secret that signs the messages. It is shown only once, or again "
            "within a day if you repeat the request with the same `Idempotency-Key`. Messages report "
            "what happens from now on."
        ),
        parameters=[_IDEMPOTENT],
        request=WebhookSerializer,
        responses={201: NewSecretSerializer, 422: _REFUSED},
        examples=[
            OpenApiExample("Ratings and lists", _ASKED, request_only=True),
            OpenApiExample("A new webhook", {**_SHOWN, **_SECRET}, response_only=True, status_codes=["201"]),
        ],
    )
    def post(self, request: Request) -> Response:
        """Subscribe a webhook."""
        asked = WebhookSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        check = partial(checked, server_of(request), **asked.validated_data)
        return Response(_once(request, check, begin), status=HTTPStatus.CREATED)


class WebhookView(ApiView):
    """The address of one webhook."""

    scope = Scope.WEBHOOKS

    @extend_schema(
        operation_id="webhook",
        parameters=[_KEY],
        summary="One webhook",
        responses=WebhookSerializer,
        examples=[OpenApiExample("A webhook", _SHOWN, response_only=True)],
    )
    def get(self, request: Request, key: int) -> Response:
        """The webhook as it is now, without its secret."""
        return Response(WebhookSerializer(_its_own(request, key)).data)

    @extend_schema(
        operation_id="change_webhook",
        parameters=[_KEY],
        summary="Change a webhook",
        request=ChangedWebhookSerializer(partial=True),
        responses=WebhookSerializer,
        examples=[
            OpenApiExample("Pause", {"is_active": False}, request_only=True),
            OpenApiExample("Paused", {**_SHOWN, "is_active": False}, response_only=True),
        ],
    )
    def patch(self, request: Request, key: int) -> Response:
        """Only the fields you send are changed."""
        webhook = _its_own(request, key)
        asked = ChangedWebhookSerializer(data=request.data, partial=True)
        asked.is_valid(raise_exception=True)
        change_webhook(webhook, **asked.validated_data)
        return Response(WebhookSerializer(webhook).data)

    @extend_schema(
        operation_id="delete_webhook",
        parameters=[_KEY],
        summary="Delete a webhook",
        description="We send nothing more to it, and its deliveries are deleted too.",
        responses={204: None},
    )
    def delete(self, request: Request, key: int) -> Response:
        """Delete the webhook."""
        _its_own(request, key).delete()
        return Response(status=HTTPStatus.NO_CONTENT)


class RotateView(ApiView):
    """The address for a new secret."""

    scope = Scope.WEBHOOKS

    @extend_schema(
        operation_id="rotate_webhook_secret",
        parameters=[_KEY, _IDEMPOTENT],
        summary="Get a new secret",
        description=(
            "A replaced secret keeps signing for a day, alongside all newer ones, so a lost response "
            "doesn’t cut you off. At most 10 secrets sign at once: a tenth request in a day is refused. "
            "To stop using a leaked secret at once, delete the webhook and create another."
        ),
        request=None,
        responses={200: NewSecretSerializer, 422: _REFUSED},
        examples=[
            OpenApiExample(
                "The new secret",
                {**_SHOWN, "previous_secret_until": "2026-11-23T21:00:00Z", **_SECRET},
                response_only=True,
            )
        ],
    )
    def post(self, request: Request, key: int) -> Response:
        """Renew the secret."""
        return Response(_once(request, partial(_its_own, request, key), rotate))


class TrialView(ApiView):
    """The address for a test message."""

    scope = Scope.WEBHOOKS

    @extend_schema(
        operation_id="test_webhook",
        parameters=[_KEY],
        summary="Send a test message",
        description="The worker sends `webhook.test` like any other message.",
        request=None,
        responses={202: TrialSerializer},
        examples=[
            OpenApiExample(
                "It will be sent",
                {"message_id": "msg_2Lh9Km5Tz8JkQyvqUKXWqPqDeNc"},
                response_only=True,
                status_codes=["202"],
            )
        ],
    )
    def post(self, request: Request, key: int) -> Response:
        """Leave the test message to the worker."""
        delivery = send_test(_its_own(request, key), at=timezone.now())
        return Response(TrialSerializer(delivery).data, status=HTTPStatus.ACCEPTED)


def _its_own(request: Request, key: int) -> Webhook:
    """Return a webhook of the server that asks; raises Http404 for any other."""
    return get_object_or_404(server_of(request).webhooks, pk=key)


def _once(request: Request, check: Callable[[], Webhook], change: Callable[..., Webhook]) -> dict[str, Any]:
    """Return the answer with a new secret; a repeated ``Idempotency-Key`` gets the same answer again.

    ``check`` runs outside the transaction of ``change``. Raises Problem.
    """
    server, key, now = server_of(request), _idempotency_key(request), timezone.now()
    digest = sha256(f"{request.method} {request.path} {json.dumps(request.data, sort_keys=True)}".encode())
    asked = digest.hexdigest()

    def answer() -> dict[str, Any]:
        return dict(NewSecretSerializer(change(webhook, at=now)).data)

    try:
        if key is not None and (kept := kept_answer(server, key, asked, at=now)) is not None:
            return kept
        webhook = check()
        return answer() if key is None else answer_once(server, key, asked, answer, at=now)
    except OtherRequestError:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "idempotency-key-reused",
            _("This Idempotency-Key was used for a different request within the last day. Use a new one."),
        ) from None


def _idempotency_key(request: Request) -> str | None:
    """Return the key without its quotes, None if there is none; raises Problem 400."""
    text = request.headers.get("Idempotency-Key")
    if text is None:
        return None
    found = _IDEMPOTENCY_KEY.fullmatch(text.strip())
    if found is None:
        told = _("Use 1 to 100 visible ASCII characters without quotes and backslashes, such as a UUID.")
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid", told, faults=(Fault("Idempotency-Key", told),))
    return found["quoted"] or found["plain"]
