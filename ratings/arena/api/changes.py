"""GET /api/v1/changes: the change feed, page by page, with optional waiting for news."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from http import HTTPStatus
from itertools import islice
from threading import BoundedSemaphore
from time import monotonic, sleep
from typing import Any, Final

from django.http import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.request import Request

from foa.files import streamed
from ratings.arena.api.base import ApiView
from ratings.arena.api.games import problem_of
from ratings.arena.api.parsing import NDJSON
from ratings.arena.api.permissions import server_of
from ratings.arena.api.problems import Problem
from ratings.arena.filters import member_of_username
from ratings.arena.models import GameServer
from ratings.arena.scopes import Scope
from ratings.arena.services.ends_by_office import EndRow
from ratings.arena.services.event_streams import rows_after
from ratings.arena.services.webhooks import row_texts
from ratings.formats.games import RESULTS
from ratings.office.models import OutboxEntry
from ratings.office.outbox import reached
from ratings.rbb.ledger.feed import Change, Cursor, is_news
from ratings.rbb.ledger.summaries import Cause
from ratings.rbb.serializers import CategoryField
from ratings.rules.rbb.rating import Reason

MOST: Final = 50_000
LONGEST_WAIT: Final = 20

_LOOK_EVERY: Final = 2
"""Seconds between two checks for news. While games are saved constantly, news is collected and sent
together."""

WAITING: Final = 2
"""Maximum number of followers waiting in a process at once, because each occupies a thread."""

_waiting: Final = BoundedSemaphore(WAITING)

_PIECE: Final = 500
_CURSOR: Final = re.compile(r"(?:([0-9a-f]{8})\.)?(0|[1-9][0-9]{0,17})(?:-(0|[1-9][0-9]{0,17}))?")


CURSOR_PATTERN: Final = f"^({_CURSOR.pattern})?$"
"""The pattern of a cursor, or of nothing, for the schema."""


@extend_schema_field({"type": "string", "pattern": CURSOR_PATTERN})
class _CursorField(serializers.CharField):
    """A field for a cursor, or nothing."""


class FeedQuery(serializers.Serializer[Any]):
    """A place in the change feed, and which rows of it."""

    after = _CursorField(
        default="",
        allow_blank=True,
        help_text="`next` of the previous page, or `cursor` of a row. Default: everything.",
    )
    member = serializers.CharField(required=False, help_text="Only changes of the member with this username.")
    category = CategoryField(required=False, help_text="Only changes in this category.")
    events = serializers.ChoiceField(
        ["1"],
        required=False,
        help_text="1: also return rows about other events, which have the field `event`. Skip any you "
        "don’t know.",
    )

    def validate_after(self, text: str) -> Cursor | None:
        """Return the cursor, None for the beginning; raises ValidationError for an unknown one."""
        if not text:
            return None
        found = _CURSOR.fullmatch(text)
        if found is None:
            raise serializers.ValidationError(
                _("This isn’t a cursor. Use `next` from a page, or leave it out to start from the beginning.")
            )
        epoch, position, mark = found.groups()
        return Cursor(int(position), None if mark is None else int(mark), epoch or "")

    def validate_member(self, username: str) -> int:
        """Return the member’s key; raises ValidationError for an unknown username."""
        return member_of_username(username).pk


class ChangesQuery(FeedQuery):
    """The query of the change feed."""

    limit = serializers.IntegerField(default=1000, min_value=1, max_value=MOST, help_text="Rows per page.")
    wait = serializers.IntegerField(
        default=0, min_value=0, max_value=LONGEST_WAIT, help_text="Seconds to wait if there is nothing yet."
    )
    format = serializers.ChoiceField(
        ["json", "ndjson"], required=False, help_text="Use this instead of the header `Accept`."
    )


class MemberOfChange(serializers.Serializer[Any]):
    """Member whose rating it is."""

    id = serializers.IntegerField(help_text="Stays the same if the username changes.")
    username = serializers.CharField()


class CauseOfChange(serializers.Serializer[Any]):
    """The cause of the line."""

    kind = serializers.ChoiceField([cause.value for cause in Cause])
    decision = serializers.CharField(
        allow_null=True, help_text="For a decision: its page in the public register."
    )


class ChangeRow(serializers.Serializer[Any]):
    """A line of the ledger as it is now, or as it was before it was removed."""

    cursor = serializers.CharField(help_text="Pass it as `after` to continue after this row.")
    line = serializers.IntegerField(help_text="Key of the line. A later row with the same key replaces it.")
    url = serializers.CharField(help_text="The page that explains the line.")
    member = MemberOfChange()
    opponent = serializers.CharField(allow_null=True, help_text="The opponent’s username.")
    category = CategoryField()
    occurred_at = serializers.DateTimeField(help_text="When the game ended, or the event took place.")
    game = serializers.CharField(allow_null=True, help_text="The page of the game.")
    before = serializers.CharField(allow_null=True, help_text="With two decimals; null while unrated.")
    after = serializers.CharField(allow_null=True)
    change = serializers.CharField(allow_null=True)
    reason = serializers.ChoiceField([reason.slug for reason in Reason])
    cause = CauseOfChange()
    at = serializers.DateTimeField(
        allow_null=True, help_text="When we wrote it; null for lines older than the feed."
    )
    gone = serializers.BooleanField(help_text="Whether the line was removed.")


class EndRowSerializer(serializers.Serializer[Any]):
    """We decided how a game ended: by RBB 2.4, by a correction or from a file. Only with ``events``.

    The row shows the game as it is now. If we undid an end, the game is in progress again and has no result.
    """

    cursor = serializers.CharField(help_text="Pass it as `after` to continue after this row.")
    event = serializers.ChoiceField([OutboxEntry.Event.GAME_ENDED.value])
    external_id = serializers.CharField(
        allow_null=True, help_text="Your own id for the game; null for other servers’ games."
    )
    url = serializers.CharField(help_text="The page of the game.")
    rated = serializers.BooleanField()
    result = serializers.ChoiceField(RESULTS, allow_null=True)
    termination = serializers.CharField(allow_null=True, help_text="null if the game is in progress again.")
    ended_at = serializers.DateTimeField(allow_null=True)
    decision = serializers.CharField(allow_null=True, help_text="Its page in the public register.")
    at = serializers.DateTimeField(help_text="When we decided it.")


@extend_schema_field(
    PolymorphicProxySerializer(
        "RowOfChanges", [ChangeRow, EndRowSerializer], resource_type_field_name=None, many=True
    )
)
class RowsField(serializers.ListField):
    """Rows of both kinds."""


class EndOfPage(serializers.Serializer[Any]):
    """``more``: whether you can read more rows right away with ``next``."""

    next = serializers.CharField()
    more = serializers.BooleanField()


class ChangesPage(EndOfPage):
    """Rows in the order we stored them."""

    changes = RowsField()


_EXAMPLE: Final = {
    "changes": [
        {
            "cursor": "7-4503599627370505",
            "line": 2251799813685252,
            "url": "/changes/2251799813685252/",
            "member": {"id": 1, "username": "anna"},
            "opponent": "bob",
            "category": "blitz",
            "occurred_at": "2026-11-22T18:30:05Z",
            "game": "/games/2/",
            "before": "1600.00",
            "after": "1607.20",
            "change": "7.20",
            "reason": "rated",
            "cause": {"kind": "game", "decision": None},
            "gone": False,
            "at": "2026-11-22T18:30:05.204911Z",
        }
    ],
    "next": "7-4503599627370505",
    "more": True,
}


class ChangesView(ApiView):
    """The address of the change feed."""

    scope = Scope.READ

    @extend_schema(
        operation_id="changes",
        summary="Every rating change, in the order we stored them",
        description=(
            "Keep `next` and send it as `after` next time. In NDJSON each row is a line, and the last "
            "line has `next` and `more`; if it is missing, the response was cut off. A ledger line that "
            "is rewritten appears again, in its new place. With `wait`, we respond within two seconds of "
            "a change. If too many clients are already waiting, you get an empty page at once, with "
            "Retry-After: ask again after that many seconds."
        ),
        parameters=[ChangesQuery],
        responses={
            (200, "application/json"): OpenApiResponse(
                ChangesPage, examples=[OpenApiExample("A game of Anna’s", _EXAMPLE)]
            ),
            (200, NDJSON): PolymorphicProxySerializer(
                "LineOfChanges", [ChangeRow, EndRowSerializer, EndOfPage], resource_type_field_name=None
            ),
            304: OpenApiResponse(description="Unchanged since the response with this ETag."),
            400: problem_of("A parameter is wrong; `errors` names it."),
            410: problem_of(
                "`cursor-gone`: our database was restored from a backup after you got this cursor. "
                "Discard what you have read, and start again without a cursor, at the address in `begin`."
            ),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Return a page, or 304 if nothing is new."""
        query = ChangesQuery(data={name: value for name, value in request.query_params.items() if value})
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        limit, with_ends = asked["limit"], "events" in asked
        wants = asked.get("format") or ("ndjson" if NDJSON in request.headers.get("Accept", "") else "json")
        headers = {"Cache-Control": "private, no-cache", "Vary": "Accept, Authorization"}

        def rows(after: Cursor, last: Cursor, most: int) -> Iterator[Change | EndRow]:
            wanted = {"member": asked.get("member"), "category": asked.get("category")}
            return rows_after(after, until=last.position, most=most, ends=with_ends, **wanted)

        def is_ready(after: Cursor, last: Cursor) -> bool:
            # Such a cursor is inside what was committed together: the page before said that there is more.
            least = limit if after.mark is None else 1
            return next(islice(rows(after, last, least), least - 1, None), None) is not None

        found = _look(asked["after"], asked["wait"], request.path, with_ends, is_ready)
        response: HttpResponseBase | None = None
        changes: Iterator[Change | EndRow] = iter(())
        end = request.query_params.get("after", "")
        if found is None:
            headers["Retry-After"] = str(asked["wait"])
        else:
            after, last = found
            end = str(last)
            headers["ETag"] = f'"{after}.{last.position}.{wants}"'
            response = get_conditional_response(request._request, etag=headers["ETag"])
            changes = rows(after, last, limit + 1)
        if response is None:
            response = streamed(
                _page(changes, limit, end, server_of(request), lines=wants == "ndjson"),
                NDJSON if wants == "ndjson" else "application/json",
            )
        for name, value in headers.items():
            response[name] = value
        return response


def _look(
    after: Cursor | None,
    wait: int,
    path: str,
    with_ends: bool,
    is_ready: Callable[[Cursor, Cursor], bool],
) -> tuple[Cursor, Cursor] | None:
    """Return the start and end of what is to be sent, after waiting for news outside any transaction.

    ``after``: None for the beginning. ``with_ends``: wait for ends of games, too. A page that is ready isn't
    waited for. None is returned at once if too many are already waiting. Raises Problem 410: see
    `place_in_feed`.
    """
    begin, last = place_in_feed(after, path)
    if not wait or is_ready(begin, last):
        return begin, last
    if not _waiting.acquire(blocking=False):
        return None
    try:
        deadline = monotonic() + wait
        while (left := deadline - monotonic()) > 0:
            sleep(min(_LOOK_EVERY, left))
            begin, last = place_in_feed(after, path)
            if is_news(begin, ends=with_ends):
                break
        return begin, last
    finally:
        _waiting.release()


def place_in_feed(after: Cursor | None, path: str) -> tuple[Cursor, Cursor]:
    """Return a cursor, or the beginning for None, and the cursor after everything that is committed.

    ``path``: where to begin anew. Raises Problem 410 for a cursor from another epoch, or for one of this
    epoch that is in the future.
    """
    position, epoch = reached()
    begin = after or Cursor(epoch=epoch)
    if begin.epoch != epoch or begin.position > position:
        told = _(
            "We’ve restored a backup since you got this cursor. Discard what you have read, and "
            "start again without a cursor."
        )
        raise Problem(HTTPStatus.GONE, "cursor-gone", told, begin=path)
    return begin, Cursor(position, None, epoch)


def _page(
    changes: Iterator[Change | EndRow], limit: int, end: str, server: GameServer, *, lines: bool
) -> Iterator[str]:
    """Yield the text of a page in pieces; ``lines``: as NDJSON."""
    begin, between = ("", "\n") if lines else ('{"changes":[', ",")
    told = None
    page = islice(changes, limit)
    while some := list(islice(page, _PIECE)):
        yield (between if told else begin) + between.join(row_texts(some, server))
        told = some[-1]
    more = told is not None and next(changes, None) is not None
    following = told.cursor if told and more else end
    last = f'"next":"{following}","more":{json.dumps(more)}}}'
    if lines:
        yield f"{between if told else begin}{{{last}\n"
    else:
        yield f"{'' if told else begin}],{last}"
