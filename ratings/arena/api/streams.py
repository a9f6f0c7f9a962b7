"""GET /api/v1/stream/…: news as server-sent events.

A site answers with what is new, and the client comes again after ``retry``. ``foa.asgi`` goes on instead.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from itertools import islice
from random import randrange
from typing import Any, Final

from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request

from foa.files import streamed
from foa.proxies import origin
from ratings.arena.api.base import ApiView
from ratings.arena.api.changes import CURSOR_PATTERN, FeedQuery, place_in_feed
from ratings.arena.api.games import problem_of
from ratings.arena.api.permissions import server_of
from ratings.arena.api.problems import Problem
from ratings.arena.filters import member_of_username
from ratings.arena.scopes import Scope
from ratings.arena.services.event_streams import (
    EVERYTHING,
    HUB,
    ROWS,
    Follower,
    FollowerOfChanges,
    FollowerOfPage,
    Topic,
    as_events,
    rows_after,
)
from ratings.office.outbox import reached
from ratings.rbb.ledger.feed import Cursor
from ratings.rbb.models import Game
from ratings.rbb.serializers import CategoryField

EVENTS: Final = "text/event-stream"
_LAST: Final = "Last-Event-ID"
_RETRY: Final = 5_000
_BUSY: Final = 30


class PageQuery(serializers.Serializer[Any]):
    """The subject of a page; without one, games and ratings of all."""

    game = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="Our number for the game."
    )
    member = serializers.CharField(required=False, help_text="The username of a member.")
    category = CategoryField(required=False, help_text="The ratings of a category.")

    def validate_member(self, username: str) -> int:
        """Return the member’s key; raises ValidationError for an unknown username."""
        return member_of_username(username).pk


class StreamView(ApiView):
    """The base of addresses that are followed."""

    def answer(self, content: bytes, follower: Follower, *, more: bool = False) -> HttpResponseBase:
        """Return what is there already, and let the follower have what comes.

        ``more``: rows are left, so the stream ends, and the client asks for them at once. Raises Problem
        503 if too many follow.
        """
        if HUB.is_full(follower.address):
            told = _(
                "Too many programs are following changes, in total or from your address. Read the feed "
                "page by page instead."
            )
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, "busy", told, headers={"Retry-After": str(_BUSY)})
        # At random, so that they don't all come at once when the office was restarted.
        wait = 100 if more else randrange(_RETRY // 2, _RETRY)  # noqa: S311  nothing is secret
        response = streamed(iter([f"retry: {wait}\n".encode() + content]), EVENTS)
        response["Cache-Control"] = "no-store"
        # nginx sends each event at once.
        response["X-Accel-Buffering"] = "no"
        if not more:
            goes_on: Callable[[], AsyncIterator[bytes]] = follower.pieces
            response.goes_on = goes_on  # type: ignore[attr-defined]  # read by foa.asgi
        return response


class ChangesStreamView(StreamView):
    """The change feed as it comes."""

    scope = Scope.READ

    @extend_schema(
        operation_id="follow_changes",
        summary="The change feed as server-sent events",
        description=(
            "Rows as in `changes`, each an event with its cursor as `id`. Reconnect with the last cursor "
            "in `Last-Event-ID`, as EventSource does, after the milliseconds in `retry`. The stream ends "
            "when the token is no longer valid, after 1,000 rows if there are more, and when you are a "
            "megabyte behind. On a site that doesn’t run the streaming process, it ends after the new "
            "rows."
        ),
        parameters=[
            FeedQuery,
            OpenApiParameter(
                _LAST,
                {"type": "string", "pattern": CURSOR_PATTERN},
                OpenApiParameter.HEADER,
                description="Use this instead of `after`.",
            ),
        ],
        responses={
            (200, EVENTS): OpenApiResponse(
                # Readers of the schema disagree whether it would be that of the text or of each event.
                OpenApiTypes.ANY,
                examples=[OpenApiExample("Nothing new yet", "retry: 3517\nid: 7\n\n", media_type=EVENTS)],
            ),
            410: problem_of("`cursor-gone`, as in `changes`."),
            503: problem_of(
                "`busy`: too many clients are following the stream. Read `changes` page by page."
            ),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return the rows after the cursor as events, and go on."""
        query = FeedQuery(data={name: value for name, value in request.query_params.items() if value})
        query.is_valid(raise_exception=True)
        asked, server = query.validated_data, server_of(request)
        heard = request.headers.get(_LAST, "")
        try:
            heard_until = query.validate_after(heard)
        except ValidationError as error:
            raise ValidationError({_LAST: error.detail}) from None
        after, last = place_in_feed(heard_until or asked["after"], request.path)
        wanted = {
            "ends": "events" in asked,
            "member": asked.get("member"),
            "category": asked.get("category"),
        }
        rows = list(islice(rows_after(after, until=last.position, most=ROWS + 1, **wanted), ROWS + 1))
        more = len(rows) > ROWS
        end = rows[ROWS - 1].cursor if more else last
        content = as_events(rows[:ROWS], server) + f"id: {end}\n\n".encode()
        follower = FollowerOfChanges(
            address=origin(request), cursor=end, token=request.auth.pk, server=server, **wanted
        )
        return self.answer(content, follower, more=more)


class PageStreamView(StreamView):
    """News of what a page of the site shows, without its content."""

    scope = None

    @extend_schema(
        operation_id="follow_page",
        summary="When a page may have changed, as server-sent events",
        description=(
            "For pages that are open in a browser. Each event, `changed`, means that the game, or the "
            "ratings of the member or category, may have changed; without a parameter, that anything may "
            "have changed. Then request the page again. On a site that doesn’t run the streaming "
            "process, the stream ends at once."
        ),
        parameters=[PageQuery],
        responses={
            (200, EVENTS): OpenApiResponse(
                OpenApiTypes.ANY,
                examples=[OpenApiExample("A move", "retry: 3517\n\ndata: changed\n\n", media_type=EVENTS)],
            ),
            503: problem_of(
                "`busy`: too many clients are following pages. Request the page every few seconds."
            ),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return nothing yet, and go on."""
        query = PageQuery(data={name: value for name, value in request.query_params.items() if value})
        query.is_valid(raise_exception=True)
        topics: list[Topic] = list(query.validated_data.items()) or [EVERYTHING]
        if len(topics) > 1:
            told = _("Follow one game, one member or one category at a time.")
            raise ValidationError({name: [told] for name, _key in topics[1:]})
        (topic,) = topics
        if topic[0] == "game" and not Game.objects.filter(pk=topic[1]).exists():
            raise NotFound(_("There’s no game with this number."))
        position, epoch = reached()
        cursor = Cursor(position, None, epoch)
        return self.answer(b"\n", FollowerOfPage(address=origin(request), cursor=cursor, topic=topic))
