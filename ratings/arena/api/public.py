"""Public data, read-only, as on the pages: members, games, events and explanations."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from foa.list_rows import ListRows, text, whole
from members.exporting import MEMBERS
from members.models import Member
from ratings.arena.api.public_pages import (
    MOMENT,
    MemberDetailsSerializer,
    PagedView,
    PublicView,
    asked_moment,
    described,
    in_path,
)
from ratings.arena.filters import AllChangesFilter, AllGamesFilter, HistoryFilter, MembersFilter
from ratings.rbb.event_standings import standings, with_spans
from ratings.rbb.explanation.lines import ExplainedGame, explained_line, gone_line
from ratings.rbb.filters import EventFilter
from ratings.rbb.lists.columns import (
    CATEGORIES,
    CHANGES,
    EVENTS,
    GAMES,
)
from ratings.rbb.models import ArenaEvent, Game, RatingChange
from ratings.rbb.models.fields import is_black
from ratings.rbb.serializers import (
    EXPLANATION,
    GAME,
    ExplanationSerializer,
    GameDetailsSerializer,
    GoneLineSerializer,
)
from ratings.rbb.views.events import event_json

USERNAME = in_path("username", "anna", "The member’s username, or a former one.")


def _colour(line: int, game: int | None) -> str | None:
    if game is None:
        return None
    return "black" if is_black(line) else "white"


_HISTORY: Final = ListRows(
    CHANGES.about,
    id=whole(help="The line of the ledger that explains it."),
    **CHANGES.columns,
    game=whole("game_id", null=True, help="Our number for the game."),
    colour=text("id", "game_id", value=_colour, choices=["white", "black"], null=True),
)


@described(
    "members",
    "MemberRow",
    MEMBERS,
    summary="Members, by name",
    description="`member` can be part of a name or username, or a FIDE ID.",
)
class MembersView(PagedView):
    """All members with their displayed ratings."""

    filterset_class = MembersFilter
    noun = "members"

    def source(self, **place: Any) -> QuerySet[Any]:
        return Member.objects.order_by("name", "username", "pk")


class MemberView(PublicView):
    """A member."""

    @extend_schema(
        operation_id="member",
        summary="A member and their live ratings",
        parameters=[USERNAME],
        responses=MemberDetailsSerializer,
    )
    def get(self, request: Request, username: str) -> Response:
        """As in the list of members, with the exact rating in each category."""
        return Response(MemberDetailsSerializer(member_called(username)).data)


@described(
    "member_history",
    "LedgerRow",
    _HISTORY,
    summary="A member’s rating changes, latest first",
    description="One row per event, even if the rating didn’t change. For games only, use `kind=game`.",
    parameters=(USERNAME, MOMENT),
)
class MemberHistoryView(PagedView):
    """The ledger lines of a member."""

    filterset_class = HistoryFilter
    noun = "changes"

    def source(self, **place: Any) -> QuerySet[Any]:
        changes = RatingChange.objects.filter(member=member_called(place["username"]))
        as_of = asked_moment(self.request)
        return changes if as_of is None else changes.until(as_of)


@described(
    "explanations",
    "AnyLedgerRow",
    _HISTORY,
    summary="Rating changes of all members, latest first",
    description="One row per member and event. To follow changes, use `/api/v1/changes`.",
)
class ExplanationsView(PagedView):
    """The lines of the ledger."""

    filterset_class = AllChangesFilter
    noun = "changes"

    def source(self, **place: Any) -> QuerySet[Any]:
        return RatingChange.objects.all()


def member_called(username: str) -> Member:
    member = Member.objects.called(username)
    if member is None:
        raise NotFound(_("There’s no member called “%(username)s”.") % {"username": username[:150]})
    return member


@described(
    "all_games",
    "GameRow",
    GAMES,
    summary="Games from all servers, latest first",
    description="Games that haven’t ended come last. A server’s own games are at "
    "`/api/v1/games/{external_id}`.",
)
class AllGamesView(PagedView):
    """The list of all games."""

    filterset_class = AllGamesFilter
    noun = "games"

    def source(self, **place: Any) -> QuerySet[Any]:
        return Game.objects.all()


class AnyGameView(PublicView):
    """A game by the office's number."""

    @extend_schema(
        operation_id="any_game",
        summary="A game by our number, with its explanation",
        parameters=[in_path("id", "4711", "The number of the game.", kind=OpenApiTypes.INT)],
        responses=GameDetailsSerializer,
    )
    def get(self, request: Request, id: int) -> Response:
        """The game with both players' ledger lines, as on its page."""
        game = Game.objects.with_names().filter(pk=id).first()
        if game is None:
            raise NotFound(_("There’s no game %(number)s.") % {"number": id})
        return Response(GAME.to_representation(ExplainedGame.of(game)))


class ExplanationView(PublicView):
    """A line of the ledger."""

    @extend_schema(
        operation_id="explanation",
        summary="Why a rating changed",
        description="A line that is no longer in the ledger returns 410, with what removed it.",
        parameters=[in_path("id", "2251799813694670", "The number of the line.", kind=OpenApiTypes.INT)],
        responses={200: ExplanationSerializer, (410, "application/json"): GoneLineSerializer},
    )
    def get(self, request: Request, id: int) -> Response:
        """Return the line, explained step by step; 410 with the former line if it is gone."""
        row = RatingChange.objects.with_event_of(id).filter(pk=id).first()
        if row is not None:
            return Response(EXPLANATION.to_representation(explained_line(row)))
        gone = gone_line(id)
        if gone is None:
            raise NotFound(_("The ledger has no line %(number)s.") % {"number": id})
        return Response(GoneLineSerializer(gone).data, status=status.HTTP_410_GONE)


@described("events", "EventRow", EVENTS, summary="Arena events, latest first")
class EventsView(PagedView):
    """The events of arenas."""

    filterset_class = EventFilter
    noun = "events"

    def source(self, **place: Any) -> QuerySet[Any]:
        # The model's order is lost by grouping.
        return ArenaEvent.objects.order_by("-pk")


class EventStandingSerializer(serializers.Serializer[Any]):
    """A player in an event."""

    place = serializers.IntegerField(help_text="Players with equal points share a place.")
    username = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    points = serializers.CharField(help_text="1.5")
    games = serializers.IntegerField()
    games_rated = serializers.IntegerField(help_text="Games against rated opponents.")
    performance = serializers.IntegerField(allow_null=True)


class EventDetailsSerializer(serializers.Serializer[Any]):
    """An event with its standings."""

    id = serializers.IntegerField(help_text="Our number for the event.")
    event_id = serializers.CharField(
        help_text="The server’s name and its own id for the event: arena/spring-2026."
    )
    url = serializers.CharField(help_text="The address of the page.")
    name = serializers.CharField()
    arena_url = serializers.CharField(allow_null=True)
    games = serializers.IntegerField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    categories = serializers.ListField(child=serializers.ChoiceField(CATEGORIES))
    standings = EventStandingSerializer(many=True, help_text="By points.")


class EventView(PublicView):
    """An event of an arena by the office's number."""

    @extend_schema(
        operation_id="event",
        summary="An arena event with its standings",
        description="For its games, use `/api/v1/all-games?event=` with its `event_id`.",
        parameters=[in_path("id", "4711", "The number of the event.", kind=OpenApiTypes.INT)],
        responses=EventDetailsSerializer,
    )
    def get(self, request: Request, id: int) -> Response:
        """Return what its page shows."""
        event = with_spans(ArenaEvent.objects.filter(pk=id)).first()
        if event is None:
            raise NotFound(_("There’s no event %(number)s.") % {"number": id})
        told = event_json(event, standings(event))
        return Response(EventDetailsSerializer({**told, "id": event.pk, "event_id": told["id"]}).data)
