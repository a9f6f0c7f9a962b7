"""Webhooks of a server: subscribing, changing, a new secret, a message to try it with."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ratings.arena.api.permissions import server_of
from ratings.arena.api.problems import Fault, Problem
from ratings.arena.api.public.paged import in_path
from ratings.arena.models import Webhook
from ratings.arena.scopes import Scope
from ratings.arena.services.webhooks import change_webhook, rotate, send_test, subscribe
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


_KEY: Final = in_path("key", "4711", kind=OpenApiTypes.INT)


class WebhookSerializer(serializers.Serializer[Webhook]):
    """A webhook as its server sees it."""

    id = serializers.IntegerField(read_only=True)
    url = serializers.CharField(max_length=500, help_text="https, to a public address.")
    events = serializers.ListField(
        child=serializers.ChoiceField(OutboxEntry.Event.choices),
        allow_empty=False,
        help_text="The events it gets.",
    )
    is_active = serializers.BooleanField(read_only=True)
    stopped_because = serializers.CharField(
        read_only=True, help_text="Why the office stopped sending; empty unless it did."
    )
    position = serializers.IntegerField(
        read_only=True, help_text="Everything up to this position of the outbox was noted for it."
    )
    created_at = serializers.DateTimeField(read_only=True)
    previous_secret_until = serializers.DateTimeField(
        source="previous_until",
        read_only=True,
        allow_null=True,
        help_text="Until then messages are also signed with the previous secret.",
    )


class ChangedWebhookSerializer(WebhookSerializer):
    """What may be changed of a webhook."""

    is_active = serializers.BooleanField(
        help_text="While it isn't active, it collects no messages. Once active again, it gets messages "
        "from then on."
    )


class NewSecretSerializer(WebhookSerializer):
    """A webhook with its secret, which is told only now."""

    secret = serializers.CharField(read_only=True, help_text="Signs messages; shown only now.")


class WebhooksSerializer(serializers.Serializer[Any]):
    """The webhooks of a server."""

    webhooks = WebhookSerializer(many=True)


class TrialSerializer(serializers.Serializer[Any]):
    """The message that was left to the worker."""

    message_id = serializers.CharField()


class WebhooksView(APIView):
    """The webhooks of a server."""

    scope = Scope.WEBHOOKS

    @extend_schema(
        operation_id="webhooks",
        summary="Your webhooks",
        responses=WebhooksSerializer,
        examples=[OpenApiExample("One webhook", {"webhooks": [_SHOWN]}, response_only=True)],
    )
    def get(self, request: Request) -> Response:
        """All of this server."""
        return Response(WebhooksSerializer({"webhooks": server_of(request).webhooks.all()}).data)

    @extend_schema(
        operation_id="add_webhook",
        summary="Get notified of changes",
        description=(
            "The answer has the secret that signs the messages. It is shown only now. Messages "
            "report what happens from now on."
        ),
        request=WebhookSerializer,
        responses={201: NewSecretSerializer},
        examples=[
            OpenApiExample("Ratings and lists", _ASKED, request_only=True),
            OpenApiExample("A new webhook", {**_SHOWN, **_SECRET}, response_only=True, status_codes=["201"]),
        ],
    )
    def post(self, request: Request) -> Response:
        """Subscribe."""
        asked = WebhookSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            webhook = subscribe(server_of(request), at=timezone.now(), **asked.validated_data)
        except ValidationError as refusal:
            raise _refused(refusal) from refusal
        return Response(NewSecretSerializer(webhook).data, status=HTTPStatus.CREATED)


class WebhookView(APIView):
    """One webhook."""

    scope = Scope.WEBHOOKS

    @extend_schema(
        operation_id="webhook",
        parameters=[_KEY],
        summary="One webhook",
        responses=WebhookSerializer,
        examples=[OpenApiExample("A webhook", _SHOWN, response_only=True)],
    )
    def get(self, request: Request, key: int) -> Response:
        """As it is now, without its secret."""
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
        """Change what is named."""
        webhook = _its_own(request, key)
        asked = ChangedWebhookSerializer(data=request.data, partial=True)
        asked.is_valid(raise_exception=True)
        try:
            change_webhook(webhook, **asked.validated_data)
        except ValidationError as refusal:
            raise _refused(refusal) from refusal
        return Response(WebhookSerializer(webhook).data)

    @extend_schema(
        operation_id="delete_webhook",
        parameters=[_KEY],
        summary="End a webhook",
        description="Nothing more is sent, and its deliveries are deleted.",
        responses={204: None},
    )
    def delete(self, request: Request, key: int) -> Response:
        """End it."""
        _its_own(request, key).delete()
        return Response(status=HTTPStatus.NO_CONTENT)


class RotateView(APIView):
    """A new secret."""

    scope = Scope.WEBHOOKS

    @extend_schema(
        operation_id="rotate_webhook_secret",
        parameters=[_KEY],
        summary="Get a new secret",
        description=(
            "For a day messages are signed with the new secret and the previous one. If you ask again within"
            " that day, the secret before the previous one no longer signs."
        ),
        request=None,
        responses=NewSecretSerializer,
        examples=[
            OpenApiExample(
                "The new secret",
                {**_SHOWN, "previous_secret_until": "2026-11-23T21:00:00Z", **_SECRET},
                response_only=True,
            )
        ],
    )
    def post(self, request: Request, key: int) -> Response:
        """Rotate it."""
        webhook = _its_own(request, key)
        rotate(webhook, at=timezone.now())
        return Response(NewSecretSerializer(webhook).data)


class TrialView(APIView):
    """A message to try a webhook with."""

    scope = Scope.WEBHOOKS

    @extend_schema(
        operation_id="test_webhook",
        parameters=[_KEY],
        summary="Send a test message",
        description="The worker sends `webhook.test` as it sends any other message.",
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
        """Leave it to the worker."""
        try:
            delivery = send_test(_its_own(request, key), at=timezone.now())
        except ValidationError as refusal:
            raise _refused(refusal) from refusal
        return Response({"message_id": delivery.message_id}, status=HTTPStatus.ACCEPTED)


def _its_own(request: Request, key: int) -> Webhook:
    """A webhook of the server that asks; raises Http404 for any other."""
    return get_object_or_404(server_of(request).webhooks, pk=key)


def _refused(refusal: ValidationError) -> Problem:
    """What a service refused, by field."""
    by_field = refusal.message_dict if hasattr(refusal, "error_dict") else {"": refusal.messages}
    faults = [
        Fault("" if field == NON_FIELD_ERRORS else field, text)
        for field, texts in by_field.items()
        for text in texts
    ]
    told = " ".join(fault.detail for fault in faults)
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "refused", told, faults=tuple(faults))
