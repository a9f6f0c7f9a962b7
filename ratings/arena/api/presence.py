"""RBB 2.4: servers report who has gone, and who is back."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from ratings.arena.api.base import ApiView
from ratings.arena.api.fields import WholeNumberField
from ratings.arena.api.games import OWN_ID, game_asked_for, problem_of, refused, unknown
from ratings.arena.api.permissions import server_of
from ratings.arena.api.problems import Problem
from ratings.arena.scopes import Scope
from ratings.arena.services.games import RefusedError
from ratings.arena.services.hearing import OtherEventError, hear
from ratings.formats.games import RESULTS
from ratings.formats.problems import readable
from ratings.rbb.models import Game
from ratings.rbb.serializers import OneOf, Text, address, or_null
from ratings.rules.rbb.presence import Event, Side, What

_EXAMPLE = {"sequence": 1, "player": "white", "event": "gone", "at": "2026-03-01T10:03:00.250Z"}


class MomentField(serializers.DateTimeField):
    """A field for a moment with its offset, so that nobody has to guess the time zone."""

    def enforce_timezone(self, value: datetime) -> datetime:
        """Return the moment in UTC."""
        if value.tzinfo is None:
            self.fail("invalid", format="2026-03-01T10:03:00.250Z")
        return super().enforce_timezone(value)


class PresenceSerializer(serializers.Serializer[Any]):
    """A player disconnected, or came back."""

    sequence = WholeNumberField(
        min_value=1, max_value=2_147_483_647, help_text="Number the events of each game 1, 2, 3 …"
    )
    player = serializers.ChoiceField([one.value for one in Side])
    event = serializers.ChoiceField([one.value for one in What], source="what")
    at = MomentField(help_text="The time by the server’s clock, with its offset from UTC.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse unknown fields."""
        unknown = [name for name in self.initial_data if name not in self.fields]
        if unknown:
            told = _("An event has no such field. Its fields are %(fields)s.") % {
                "fields": ", ".join(self.fields)
            }
            raise serializers.ValidationError({readable(name[:40]): told for name in unknown})
        return attrs


class GameNowSerializer(serializers.Serializer[Game]):
    """Game as it is after an event."""

    url = Text(source="*", value=address, help_text="The page of the game, with the disconnections.")
    rated = serializers.BooleanField()
    result = OneOf(RESULTS, value=or_null, allow_null=True)
    termination = serializers.CharField(source="how_it_ended", allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class HeardSerializer(PresenceSerializer):
    """An event as it is stored, and the game."""

    game = GameNowSerializer()


class KnownEventsSerializer(serializers.Serializer[Any]):
    """The events of a game that we have received, and the game."""

    last_sequence = serializers.IntegerField(
        help_text="The highest number received, or 0. Continue with the next one."
    )
    events = PresenceSerializer(many=True, help_text="By number. A missing number was never received.")
    game = GameNowSerializer()


class PresenceView(ApiView):
    """The address of a game's events."""

    scope = Scope.GAMES

    @extend_schema(
        operation_id="post_presence",
        summary="Report that a player has disconnected or come back",
        description=(
            "RBB 2.4: a player who is disconnected for more than 60 seconds loses. Your clock and your "
            "sequence numbers decide, not the order in which we receive the events. If you send nothing "
            "more, we end the game shortly after the 60 seconds. If the player turns out to have been "
            "back in time, we undo that. Repeating a request changes nothing."
        ),
        parameters=[OWN_ID],
        request=PresenceSerializer,
        responses={
            200: OpenApiResponse(HeardSerializer, "We already had the event."),
            201: OpenApiResponse(HeardSerializer, "The event is new."),
            400: problem_of("A field is missing, unknown or malformed."),
            404: problem_of("You haven’t sent a game with this id."),
            409: problem_of("Another event has this number; see `stored` and `sent`."),
            422: problem_of("The event is before the start of the game, or in the future."),
        },
        examples=[OpenApiExample("Disconnected", _EXAMPLE, request_only=True)],
    )
    def post(self, request: Request, external_id: str) -> Response:
        """Store the event. The game may end because of it."""
        sent = PresenceSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        said = sent.validated_data
        event = Event(**said)
        try:
            game, created = hear(server_of(request).external_id(external_id), event, at=timezone.now())
        except Game.DoesNotExist:
            raise unknown(external_id) from None
        except RefusedError as refusal:
            raise refused(refusal) from refusal
        except OtherEventError as other:
            raise _contradiction(other) from other
        heard = HeardSerializer({**event._asdict(), "game": game})
        return Response(heard.data, HTTPStatus.CREATED if created else HTTPStatus.OK)

    @extend_schema(
        operation_id="get_presence",
        summary="The disconnections you reported",
        description="For use after a crash, to continue with the right number.",
        parameters=[OWN_ID],
        responses={
            200: KnownEventsSerializer,
            404: problem_of("You haven’t sent a game with this id."),
        },
    )
    def get(self, request: Request, external_id: str) -> Response:
        """Return the events in the order of their numbers."""
        game = game_asked_for(request, external_id)
        events = [one.event for one in game.presence.all()]
        last = events[-1].sequence if events else 0
        return Response(KnownEventsSerializer({"last_sequence": last, "events": events, "game": game}).data)


def _contradiction(other: OtherEventError) -> Problem:
    told = _(
        "Another event already has the sequence number %(number)d. Number the events of each game 1, 2, 3 …"
    )
    return Problem(
        HTTPStatus.CONFLICT,
        "contradiction",
        told % {"number": other.sent.sequence},
        stored=PresenceSerializer(other.stored).data,
        sent=PresenceSerializer(other.sent).data,
    )
