"""Many games in one request: a line of JSON for each game, and a line of JSON for each answer."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from django.db.models import Case, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Left, Substr
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from foa.list_rows import ListRows, text
from ratings.arena.api.base import ApiView
from ratings.arena.api.dry_runs import DRY_RUN, dry_run
from ratings.arena.api.fields import WithoutEmpty
from ratings.arena.api.games import ENDED, VERSION_HELP, SentGameSerializer
from ratings.arena.api.lines import (
    LINES_PROBLEMS,
    LinesParser,
    UnnamedLinesParser,
    lines_of,
    verdicts_response,
)
from ratings.arena.api.parsing import LINES, NDJSON
from ratings.arena.api.permissions import server_of
from ratings.arena.api.public_pages import Paged, RowSerializer, described
from ratings.arena.filters import OwnGamesFilter
from ratings.arena.scopes import Scope
from ratings.arena.services.bulk import Verdict, store_games
from ratings.arena.services.reconciling import STATE_READS, STATES, VERSION_READS, state_of, version_of_game
from ratings.formats import problems
from ratings.formats.games import GameRow
from ratings.formats.games_json import MAX_ID, read_game_json
from ratings.rbb.lists.columns import GAMES
from ratings.rbb.models import Game
from ratings.rbb.models.games import OtherId


class SentLineSerializer(SentGameSerializer):
    """A game as it is on your server now, with your server's id for it."""

    id = serializers.CharField(max_length=MAX_ID, help_text="The server’s own id for the game.")


class LineVerdictSerializer(WithoutEmpty, RowSerializer):
    """The outcome for one line."""

    line = serializers.IntegerField(min_value=1)
    id = serializers.CharField(
        allow_null=True, help_text="null if the line has no id, or one that isn’t text."
    )
    verdict = serializers.ChoiceField(("stored", "already there", "finished", "updated", "refused"))
    reason = serializers.CharField(required=False, help_text="Why it was refused, is void or isn’t rated.")
    kind = serializers.ChoiceField(
        ("invalid", "refused", "contradiction", "unrated", "void"),
        required=False,
        help_text="Kind of reason, for programs. The first three are kinds of problems.",
    )
    field = serializers.CharField(required=False, help_text="The first field with an error.")
    article = serializers.CharField(required=False, help_text="The article it is based on.")
    warning = serializers.CharField(required=False, help_text="What looks wrong in a game that was stored.")
    game = serializers.CharField(required=False, help_text="The address of the game, unless refused.")


class GamesInBulkView(ApiView):
    """The address for up to 10,000 games of a server."""

    scope = Scope.GAMES
    parser_classes = (LinesParser, UnnamedLinesParser)

    @extend_schema(
        operation_id="send_games",
        summary="Send many games",
        description=(
            "One game per line, as a JSON object: up to 10,000 lines of at most 64 KB each, 64 MB in "
            "all, as `application/x-ndjson` or, from generated clients, `application/octet-stream`. The "
            "response has a verdict for each line that isn’t blank, in the same order. A refused line "
            "doesn’t affect the others. If you get no response, send the same request again: what was "
            "stored is then “already there”."
        ),
        parameters=[DRY_RUN],
        request={NDJSON: SentLineSerializer},
        responses={
            (200, NDJSON): LineVerdictSerializer,
            (200, LINES): LineVerdictSerializer,
            **LINES_PROBLEMS,
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
        server = server_of(request)
        prefix = server.external_id("")
        with lines_of(request) as lines:
            read = {number: _read(said, prefix, number) for number, said in lines}
            with dry_run(request):
                verdicts = store_games(server, [row for _own, row in read.values()], at=timezone.now())
        told = [
            (number, own, *verdicts[number], _address(request, own, verdicts[number]))
            for number, (own, _row) in read.items()
        ]
        return verdicts_response(request, LineVerdictSerializer(told, many=True).data)


def _read(
    said: dict[str, Any] | problems.Problem, prefix: str, number: int
) -> tuple[str | None, GameRow | problems.Problem]:
    """Return the server's own id of the game on a line, if it has one, and the game or what is wrong."""
    if isinstance(said, problems.Problem):
        return None, said
    own = said.get("id")
    return own if isinstance(own, str) else None, read_game_json(number, said, prefix)


def _address(request: Request, own: str | None, verdict: Verdict) -> str:
    return "" if verdict.what == "refused" else f"{request.path}/{quote(own or '', safe='')}"


_OWN_GAMES: Final = ListRows(
    "One of your server's games, as in the list of your games.",
    **GAMES.columns,
    state=text(*STATE_READS, value=state_of, choices=STATES, help="The status of the game."),
    version=text(*VERSION_READS, value=version_of_game, help=VERSION_HELP),
    own_id=text(help="The server’s own id."),
)


@described(
    "own_games",
    "OwnGameRow",
    _OWN_GAMES,
    summary="Your games: those in progress, or all since a given time",
    description=(
        "For use after a crash, or to compare your games with ours. `state=playing` returns your games "
        "that have neither ended nor been voided. Any other state requires `since`; the games that ended "
        "last come first, and those in progress come last. Games deleted by staff aren’t included. "
        "Disconnections are at `/api/v1/games/{external_id}/presence`."
    ),
)
class OwnGamesView(GamesInBulkView, Paged):
    """The games of the server that asks."""

    filterset_class = OwnGamesFilter
    noun = "games"

    def source(self, **place: Any) -> QuerySet[Any]:
        prefix = server_of(self.request).external_id("")
        # Not startswith, which ignores case on SQLite.
        server = Left("external_id", len(prefix))
        others = OtherId.objects.alias(server=server).filter(server=prefix, game=OuterRef("pk"))
        mine = Case(
            When(server=prefix, then="external_id"),
            default=Subquery(others.order_by("pk").values("external_id")[:1]),
        )
        known_as = Substr(mine, len(prefix) + 1)
        return Game.objects.alias(server=server).annotate(own_id=known_as).filter(own_id__isnull=False)
