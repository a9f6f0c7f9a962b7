"""Clocks and draw offers of a game in progress."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from ratings.arena.api.base import ApiView
from ratings.arena.api.fields import StrictSerializer, WholeNumberField
from ratings.arena.api.games import OWN_ID, game_asked_for, problem_of, refused, unknown
from ratings.arena.api.members import MomentField
from ratings.arena.api.permissions import server_of
from ratings.arena.scopes import Scope
from ratings.arena.services.clocks import keep_clocks
from ratings.arena.services.games import RefusedError
from ratings.rbb.models import Game, RunningClocks
from ratings.rbb.serializers import or_null

_MOST: Final = 14 * 24 * 3600 * 1000
"""Maximum time left: two weeks."""

_EXAMPLE: Final = {"white": 93_500, "black": 120_000, "at": "2026-03-01T10:03:00.250Z", "draw_offer": "black"}


class OfferField(serializers.ChoiceField):
    """The player who offers a draw; null: nobody."""

    def to_representation(self, value: Any) -> Any:
        return or_null(value)


class ClocksSerializer(StrictSerializer):
    """The clocks of a game in progress."""

    white = WholeNumberField(min_value=0, max_value=_MOST, help_text="White’s time left, in milliseconds.")
    black = WholeNumberField(min_value=0, max_value=_MOST, help_text="Black’s time left, in milliseconds.")
    at = MomentField(help_text="The time by the server’s clock, with its offset from UTC.")
    draw_offer = OfferField(
        RunningClocks.Side.values,
        required=False,
        allow_null=True,
        default=None,
        help_text="Who is offering a draw; null or left out: nobody.",
    )


class ClocksView(ApiView):
    """The address of a running game's clocks."""

    scope = Scope.GAMES

    @extend_schema(
        operation_id="put_clocks",
        summary="Send the clocks and a draw offer",
        description=(
            "The board on the game’s page shows the clocks and the offer until the game ends. Send them "
            "with each move, or every few seconds. The message with the latest `at` counts, in whatever "
            "order they arrive. They have no effect on ratings."
        ),
        parameters=[OWN_ID],
        request=ClocksSerializer,
        responses={
            200: OpenApiResponse(ClocksSerializer, "The clocks as they are stored now."),
            201: OpenApiResponse(ClocksSerializer, "The first clocks of the game."),
            400: problem_of("A field is missing, unknown or malformed."),
            404: problem_of("You haven’t sent a game with this id."),
            422: problem_of("The game has ended, or the time is before its start or in the future."),
        },
        examples=[OpenApiExample("Black offers a draw", _EXAMPLE, request_only=True)],
    )
    def put(self, request: Request, external_id: str) -> Response:
        """Store the clocks."""
        sent = ClocksSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        said = {**sent.validated_data, "draw_offer": sent.validated_data["draw_offer"] or ""}
        try:
            known_as = server_of(request).external_id(external_id)
            clocks, is_new = keep_clocks(known_as, **said, now=timezone.now())
        except Game.DoesNotExist:
            raise unknown(external_id) from None
        except RefusedError as refusal:
            raise refused(refusal) from refusal
        return Response(ClocksSerializer(clocks).data, HTTPStatus.CREATED if is_new else HTTPStatus.OK)

    @extend_schema(
        operation_id="get_clocks",
        summary="The clocks you sent",
        parameters=[OWN_ID],
        responses={
            200: ClocksSerializer,
            404: problem_of("The game isn’t in progress, or you haven’t sent its clocks."),
        },
    )
    def get(self, request: Request, external_id: str) -> Response:
        """The clocks of a game in progress."""
        clocks = game_asked_for(request, external_id).running_clocks
        if clocks is None:
            raise NotFound(_("The game has ended, or no clock times were sent."))
        return Response(ClocksSerializer(clocks).data)
