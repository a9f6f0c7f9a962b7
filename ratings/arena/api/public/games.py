"""Games of all servers, and the explanation of each ledger line."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from ratings.arena.api.public.paged import PagedView, PublicView, described, in_path
from ratings.arena.filters import AllGamesFilter
from ratings.rbb.explanation.lines import explained_line, gone_line
from ratings.rbb.explanation.sides import ExplainedGame
from ratings.rbb.lists.exports import GAMES
from ratings.rbb.models import Game, RatingChange
from ratings.rbb.serializers import (
    EXPLANATION,
    GAME,
    ExplanationSerializer,
    GameDetailsSerializer,
    GoneLineSerializer,
)


@described(
    "all_games",
    "GameRow",
    GAMES,
    summary="Games of all servers, latest first",
    description="Games without an end come last. A server's own games are at `/api/v1/games/{external_id}`.",
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
        summary="A game by the office's number, explained",
        parameters=[in_path("id", "4711", kind=OpenApiTypes.INT)],
        responses=GameDetailsSerializer,
    )
    def get(self, request: Request, id: int) -> Response:
        """The game with the lines of both players, as its page has it."""
        game = Game.objects.with_names().filter(pk=id).first()
        if game is None:
            raise NotFound(_("The office has no game number %(number)s.") % {"number": id})
        return Response(GAME.to_representation(ExplainedGame.of(game)))


class ExplanationView(PublicView):
    """A line of the ledger."""

    @extend_schema(
        operation_id="explanation",
        summary="Why a rating changed",
        description="A line that is no longer in the ledger gets 410, and says what took it away.",
        parameters=[in_path("id", "2251799813694670", kind=OpenApiTypes.INT)],
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
