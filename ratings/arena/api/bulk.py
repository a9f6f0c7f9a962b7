"""Many games in one request: a line of JSON for each game, and a line of JSON for each answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import IO, Any, Final
from urllib.parse import quote

from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from foa.list_rows import ListRows, text
from foa.spreadsheet import Cell
from ratings.arena.api.base import ApiView
from ratings.arena.api.fields import WithoutEmpty
from ratings.arena.api.games import ENDED, SentGameSerializer, problem_of
from ratings.arena.api.parsing import LINES, NDJSON, announced_bytes, json_object, too_large
from ratings.arena.api.permissions import server_of
from ratings.arena.api.problems import Problem
from ratings.arena.api.public_pages import Paged, RowSerializer, described
from ratings.arena.filters import OwnGamesFilter
from ratings.arena.scopes import Scope
from ratings.arena.services.bulk import Verdict, store_games
from ratings.formats import problems
from ratings.formats.games import GameRow
from ratings.formats.games_json import MAX_ID, read_game_json
from ratings.formats.lines import read_lines
from ratings.rbb.lists.exports import GAMES
from ratings.rbb.models import Game

MOST_LINES: Final = 10_000
MOST_OF_LINE: Final = 64 * 1024
"""Maximum number of bytes in a line; a longer line is refused and not kept."""

MOST_BYTES: Final = 64 * 1024 * 1024

AT_ONCE: Final = 4
"""Maximum number of requests handled by a process at once, because each keeps its games in memory."""

_places = BoundedSemaphore(AT_ONCE)


class LinesParser(BaseParser):
    """A parser that reads the lines of a body one by one, as they are needed."""

    media_type = NDJSON

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Iterator[bytes]:
        """Return the lines with their ends. A line of more than MOST_OF_LINE bytes may be cut."""
        return read_lines(stream, MOST_OF_LINE)  # type: ignore[arg-type]  # only its read() is asked for


class UnnamedLinesParser(LinesParser):
    """A parser of the same lines from generated clients, which know no media type for lines."""

    media_type = LINES


class SentLineSerializer(SentGameSerializer):
    """A game as its server knows it now, with the id that the server gave it."""

    id = serializers.CharField(max_length=MAX_ID, help_text="The server's own id of the game.")


class LineVerdictSerializer(WithoutEmpty, RowSerializer):
    """Outcome of a line."""

    line = serializers.IntegerField(min_value=1)
    id = serializers.CharField(allow_null=True, help_text="null where the line has no id that is text.")
    verdict = serializers.ChoiceField(("stored", "already there", "finished", "updated", "refused"))
    reason = serializers.CharField(required=False, help_text="Why it was refused, is void or isn't rated.")
    kind = serializers.ChoiceField(
        ("invalid", "refused", "contradiction", "unrated", "void"),
        required=False,
        help_text="Of the reason, for programs. The first three are kinds of problems.",
    )
    field = serializers.CharField(required=False, help_text="The first field at fault.")
    article = serializers.CharField(required=False, help_text="The article that is the reason.")
    warning = serializers.CharField(required=False, help_text="What looks wrong in a game that was taken.")
    game = serializers.CharField(required=False, help_text="The address of the game, unless refused.")


class GamesInBulkView(ApiView):
    """The address for up to 10,000 games of a server."""

    scope = Scope.GAMES
    parser_classes = (LinesParser, UnnamedLinesParser)

    @extend_schema(
        operation_id="send_games",
        summary="Send many games",
        description=(
            "One game as a JSON object on each line, up to 10,000 lines of 64 KB and 64 MB in all, as"
            " `application/x-ndjson` or, from generated clients, `application/octet-stream`. The answer"
            " has a verdict for each line that isn't blank, in their order. A refused line leaves the others"
            " alone. Send the same request again whenever you have no answer: what is stored is then"
            " “already there”."
        ),
        request={NDJSON: SentLineSerializer},
        responses={
            (200, NDJSON): LineVerdictSerializer,
            (200, LINES): LineVerdictSerializer,
            411: problem_of("The request has no Content-Length."),
            413: problem_of("Too many bytes or lines; nothing was stored."),
            503: problem_of("Too many such requests at once; wait for Retry-After."),
        },
        examples=[
            OpenApiExample(
                "A finished game",
                {"id": "4711", **ENDED},
                request_only=True,
                media_type=NDJSON,
            ),
            OpenApiExample(
                "Stored",
                {"line": 1, "id": "4711", "verdict": "stored", "game": "/api/v1/games/4711"},
                response_only=True,
                media_type=NDJSON,
            ),
        ],
    )
    def post(self, request: Request) -> HttpResponse:
        """Store what can be stored, and answer for each line."""
        _check_length(request)
        server = server_of(request)
        with _place():
            prefix = server.external_id("")
            read = {number: _read(number, line, prefix) for number, line in _lines(request)}
            verdicts = store_games(server, [row for _own, row in read.values()], at=timezone.now())
        told = [
            (number, own, *verdicts[number], _address(request, own, verdicts[number]))
            for number, (own, _row) in read.items()
        ]
        answer = (json.dumps(one) + "\n" for one in LineVerdictSerializer(told, many=True).data)
        sent_as = (request.content_type or NDJSON).partition(";")[0].strip().lower()
        return HttpResponse(answer, content_type=sent_as)


def _check_length(request: Request) -> None:
    """Refuse a body that is too long before reading any of it."""
    length = announced_bytes(request.META)
    if length is None:
        told = _("Say how long the body is, in Content-Length.")
        raise Problem(HTTPStatus.LENGTH_REQUIRED, "length-required", told)
    if length > MOST_BYTES:
        raise too_large(MOST_BYTES)


@contextmanager
def _place() -> Iterator[None]:
    """Occupy one of AT_ONCE places; raises Problem 503 if all are taken."""
    if not _places.acquire(blocking=False):
        raise Problem(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "busy",
            _("Too many requests with many games at once. Nothing was stored. Ask again in 2 seconds."),
            headers={"Retry-After": "2"},
        )
    try:
        yield
    finally:
        _places.release()


def _lines(request: Request) -> Iterator[tuple[int, bytes]]:
    """Yield each line that isn't blank with its number; raises Problem 413 for more than MOST_LINES."""
    try:
        for number, line in enumerate(request.data, 1):
            if number > MOST_LINES:
                told = _("More than %(most)s lines. Nothing was stored. Send fewer in one request.")
                raise Problem(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    "too-many-lines",
                    told % {"most": MOST_LINES},
                    most=MOST_LINES,
                )
            if not line.isspace():
                yield number, line
    except OSError:
        raise ParseError(_("The body ended early. Nothing was stored.")) from None


def _read(number: int, line: bytes, prefix: str) -> tuple[str | None, GameRow | problems.Problem]:
    """Return the server's own id of the game on a line, if it has one, and the game or what is wrong."""
    if len(line) > MOST_OF_LINE:
        return None, problems.Problem(
            number, _("A line has at most %(most)s bytes.") % {"most": MOST_OF_LINE}
        )
    try:
        said = json_object(line, check_texts=False)
    except ParseError as error:
        return None, problems.Problem(number, str(error))
    own = said.get("id")
    return own if isinstance(own, str) else None, read_game_json(number, said, prefix)


def _address(request: Request, own: str | None, verdict: Verdict) -> str:
    return "" if verdict.what == "refused" else f"{request.path}/{quote(own or '', safe='')}"


_OWN_GAMES: Final = ListRows(
    "A game of the server that asks.",
    **GAMES.columns,
    own_id=text("external_id", help="The server's own id."),
)


@described(
    "own_games",
    "OwnGameRow",
    _OWN_GAMES,
    summary="Your games in progress, latest first",
    description=(
        "What a server asks after a crash: its own games that have neither ended nor been voided. Send the "
        "end of each that has ended meanwhile. Who was gone is at `/api/v1/games/{external_id}/presence`."
    ),
)
class OwnGamesView(GamesInBulkView, Paged):
    """The games of the server that asks."""

    filterset_class = OwnGamesFilter
    noun = "games"

    def source(self, **place: Any) -> QuerySet[Any]:
        prefix = server_of(self.request).external_id("")
        # Not startswith, which ignores case on SQLite.
        return Game.objects.alias(server=Left("external_id", len(prefix))).filter(server=prefix)

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        prefix = server_of(self.request).external_id("")
        return ((*row, str(own_id).removeprefix(prefix)) for *row, own_id in super().rows(queryset))
