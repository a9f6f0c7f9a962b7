"""Single games of a server: sent during play and when they end, and read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, TypeVar

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from foa.text import utc_text
from ratings.arena.api.base import ApiView
from ratings.arena.api.dry_runs import DRY_RUN, dry_run
from ratings.arena.api.fields import StrictSerializer, TextField
from ratings.arena.api.members import WaitingSerializer
from ratings.arena.api.permissions import server_of
from ratings.arena.api.problems import Problem, ProblemSerializer, faults_of
from ratings.arena.scopes import Scope
from ratings.arena.services.games import (
    ContradictionError,
    ReasonMissingError,
    RefusedError,
    put_game,
    take_back,
)
from ratings.arena.services.pgn_warnings import pgn_warnings
from ratings.arena.services.reconciling import version_as_stored
from ratings.formats import problems
from ratings.formats.game_details import MAX_ADDRESS, MAX_EVENT_NAME, MAX_ROUND, MAX_VARIANT
from ratings.formats.games import RESULTS
from ratings.formats.games_json import MAX_ID, MAX_PLIES, read_game_json
from ratings.formats.problems import Fault, shown
from ratings.office.models import ChangeSet
from ratings.rbb.explanation.lines import ExplainedGame
from ratings.rbb.labels import doubt_text
from ratings.rbb.ledger.details import DetailsError
from ratings.rbb.ledger.game_import import Taken
from ratings.rbb.ledger.known_games import stored_id
from ratings.rbb.ledger.plausibility import possibly_same, too_long
from ratings.rbb.ledger.versions import Version
from ratings.rbb.models import Game
from ratings.rbb.serializers import GameDetailsSerializer, LedgerLineSerializer, StepSerializer
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import MAX_WRITTEN

F = TypeVar("F", bound=serializers.Field[Any, Any, Any, Any])

_EXAMPLE: Final = {
    "white": "anna",
    "black": "bert",
    "time_control": "180+2",
    "started_at": "2026-03-01T10:00:00Z",
}
ENDED: Final = {
    **_EXAMPLE,
    "result": "1-0",
    "ended_at": "2026-03-01T10:06:30Z",
    "termination": "checkmate",
    "plies": 61,
}

# What can be text of a game. The readers of games refuse more, and say why.
_ID: Final = r"^[^\x00-\x20\x7f-\xa0\ufffd/]+$"
_NEEDED: Final = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*[^\s\x00-\x1f\x7f-\x9f\ufffd][^\x00-\x1f\x7f-\x9f\ufffd]*$"
_ONE_LINE: Final = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$"
_LINES: Final = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]*$"
_ADDRESS: Final = r"^(https://[!#-;=?-\[\]_a-zA-Z~]+)?$"

VERSION_HELP: Final = (
    "Changes whenever the game’s data changes, and when the game starts or stops counting. The ledger’s "
    "lines don’t affect it."
)

OWN_ID: Final = OpenApiParameter(
    "external_id",
    {"type": "string", "pattern": _ID, "maxLength": MAX_ID},
    OpenApiParameter.PATH,
    description="The server’s own id for the game: up to 149 printable characters, no spaces or slashes.",
    examples=[OpenApiExample("4711", value="4711")],
)
_EXPLAIN: Final = OpenApiParameter(
    "explain", str, enum=["1"], description="1: include the steps of each line’s explanation."
)


def _optional(field: type[F], *args: Any, **options: Any) -> F:
    """Return a field that may be left out. null is the same."""
    return field(*args, required=False, allow_null=True, **options)


class SentEventSerializer(serializers.Serializer[Any]):
    """The arena event that a game belongs to."""

    id = serializers.RegexField(
        _ID,
        max_length=MAX_ID,
        help_text="The server’s own id for the event: printable, no spaces or slashes.",
    )
    name = serializers.RegexField(
        _NEEDED,
        max_length=MAX_EVENT_NAME,
        help_text="Name of the event. If you send different names, the last one counts.",
    )
    url = _optional(
        serializers.RegexField,
        _ADDRESS,
        allow_blank=True,
        max_length=MAX_ADDRESS,
        help_text="The event’s page in the arena, an https address.",
    )
    round = _optional(
        serializers.RegexField,
        _ONE_LINE,
        allow_blank=True,
        max_length=MAX_ROUND,
        help_text="The round of the game: 3, 3.1, final.",
    )


class SentGameSerializer(serializers.Serializer[Any]):
    """A game as it is on your server now, in progress or finished."""

    white = serializers.RegexField(_NEEDED, help_text="Username.")
    black = serializers.RegexField(_NEEDED, help_text="Username.")
    time_control = serializers.RegexField(
        _NEEDED,
        max_length=MAX_WRITTEN,
        help_text=(
            "Seconds plus seconds per move: 180+2. With a time control that isn’t in RBB 2.3, such as "
            "40/7200:3600, the game is unrated."
        ),
    )
    rated = serializers.BooleanField(default=True, allow_null=True)
    started_at = serializers.DateTimeField(help_text="With its offset from UTC.")
    result = _optional(
        serializers.ChoiceField,
        RESULTS,
        help_text="Once it has ended; none for an aborted game or a no-show.",
    )
    ended_at = _optional(
        serializers.DateTimeField,
        help_text="With the result; at most 5 minutes in the future. You can leave it out for an aborted "
        "game.",
    )
    termination = _optional(
        serializers.RegexField,
        _ONE_LINE,
        allow_blank=True,
        help_text=(
            f"How it ended: {', '.join(Termination)}, or a word that other programs use. "
            "“aborted” and “no-show” end a game without a result."
        ),
    )
    plies = _optional(
        serializers.IntegerField,
        min_value=0,
        max_value=MAX_PLIES,
        help_text="Moves so far, both sides together.",
    )
    pgn = _optional(serializers.RegexField, _LINES, allow_blank=True)
    event = _optional(SentEventSerializer)
    url = _optional(
        serializers.RegexField,
        _ADDRESS,
        allow_blank=True,
        max_length=MAX_ADDRESS,
        help_text="The game’s page in the arena, an https address.",
    )
    variant = _optional(
        serializers.RegexField,
        _ONE_LINE,
        allow_blank=True,
        max_length=MAX_VARIANT,
        help_text="standard, or another variant such as chess960, which isn’t rated.",
    )


class GameLineSerializer(LedgerLineSerializer):
    """Effect of the game on one player; with the steps if you send ``explain=1``."""

    steps = StepSerializer(source="explanation.steps", many=True, required=False)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        if self.context.get("without_steps"):
            del fields["steps"]
        return fields


@dataclass(frozen=True)
class OwnGame(ExplainedGame):
    """A game for the server that sent it; ``waiting``: decisions to void it."""

    own_id: str
    waiting: Sequence[ChangeSet]

    @property
    def warnings(self) -> list[str]:
        """Return what looks wrong in it, for people."""
        doubts = [*possibly_same(self.game), *too_long(self.game)]
        return [*(doubt_text(one.doubt, one.words) for one in doubts), *pgn_warnings(self.game)]

    @property
    def version(self) -> str:
        """Return the version of the game, as lists of games have it."""
        return version_as_stored(self.game)


class OwnGameSerializer(GameDetailsSerializer):
    """One of your server's games."""

    own_id = serializers.CharField(help_text="The server’s own id.")
    version = serializers.CharField(help_text=VERSION_HELP)
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="What looks wrong; the game is stored anyway."
    )
    changes = GameLineSerializer(many=True)


class TakenBackSerializer(OwnGameSerializer):
    """A game that its server aborted or asked us to void."""

    waiting = WaitingSerializer(
        many=True, required=False, help_text="The decision to void it, which is waiting for our confirmation."
    )


_WITHOUT_STEPS: Final = {"without_steps": True}
# Made once, as in ratings.rbb.serializers; first without steps, then with them.
_OWN_GAME: Final = (OwnGameSerializer(context=_WITHOUT_STEPS), OwnGameSerializer())
_TAKEN_BACK: Final = (TakenBackSerializer(context=_WITHOUT_STEPS), TakenBackSerializer())


class ReasonSerializer(StrictSerializer):
    """The reason for taking a game back."""

    reason = TextField(
        required=False, max_length=255, help_text="For staff, not public. Needed for a game that has ended."
    )


def problem_of(description: str) -> OpenApiResponse:
    """Return the schema's description of a problem."""
    return OpenApiResponse(ProblemSerializer, description)


class GameView(ApiView):
    """The address of one game, for the server that sent it."""

    scope = Scope.GAMES

    @extend_schema(
        operation_id="put_game",
        summary="Send a game, in progress or finished",
        description=(
            "Send a game when it starts and again when it has ended; it is then rated. Repeating a "
            "request changes nothing, so send it again if you get no response. Give the number of moves "
            "so far (`plies`): a game without a move by each side isn’t rated. After the end you can "
            "still add moves, and a termination that was unknown. “rated: false” at the end makes the "
            "game unrated."
        ),
        parameters=[OWN_ID, _EXPLAIN, DRY_RUN],
        request=SentGameSerializer,
        responses={
            200: OpenApiResponse(OwnGameSerializer, "The game existed, and is now stored as you sent it."),
            201: OpenApiResponse(OwnGameSerializer, "The game is new."),
            400: problem_of("A field is missing, unknown or malformed."),
            409: problem_of(
                "The game stored under this id is different and can’t be changed, or the result "
                "contradicts RBB 2.4. `stored` and `sent` are the two versions; `differing` names the "
                "fields."
            ),
            422: problem_of("It can’t be rated, or a player isn’t a member; `errors` has every reason."),
        },
        examples=[
            OpenApiExample("In progress", _EXAMPLE, request_only=True),
            OpenApiExample("Finished", ENDED, request_only=True),
        ],
    )
    def put(self, request: Request, external_id: str) -> Response:
        """Store the game, or say why not."""
        _check_explain(request)
        if request.data.get("id") not in (None, external_id):
            raise _other_id(request.data["id"], external_id)
        row = read_game_json(0, {**request.data, "id": external_id}, server_of(request).external_id(""))
        if isinstance(row, problems.Problem):
            raise _unreadable(row.faults)
        with dry_run(request):
            try:
                game, taken = put_game(row, at=timezone.now())
            except RefusedError as refusal:
                raise refused(refusal) from refusal
            except ContradictionError as contradiction:
                raise _contradiction(contradiction) from contradiction
            except DetailsError as error:
                raise _other_details(error) from error
            status = HTTPStatus.CREATED if taken is Taken.STORED else HTTPStatus.OK
            return _answer(request, game, external_id, status)

    @extend_schema(
        operation_id="delete_game",
        summary="Abort a game, or have it voided",
        description=(
            "A game in progress ends without a result, as with termination “aborted”. A game that has "
            "ended is voided for the reason you give: at once if we trust your server, otherwise once we "
            "have confirmed it (202). You can still read the game. Repeating a request changes nothing."
        ),
        parameters=[
            OWN_ID,
            OpenApiParameter(
                "reason",
                {"type": "string", "maxLength": 255, "pattern": r"\S"},
                description="The reason, if the request has no body.",
            ),
        ],
        request=ReasonSerializer,
        responses={
            200: OpenApiResponse(OwnGameSerializer, "The game is aborted or void."),
            202: OpenApiResponse(TakenBackSerializer, "The game is voided once we have confirmed it."),
            400: problem_of("The game has ended, and you gave no reason."),
            404: problem_of("You haven’t sent a game with this id."),
        },
    )
    def delete(self, request: Request, external_id: str) -> Response:
        """Abort the game or void it."""
        asked = {"reason": reason} if (reason := request.query_params.get("reason")) else {}
        sent = ReasonSerializer(data=request.data or asked)
        sent.is_valid(raise_exception=True)
        try:
            reason = sent.validated_data.get("reason", "")
            game, waiting = take_back(server_of(request), external_id, reason=reason, at=timezone.now())
        except Game.DoesNotExist:
            raise unknown(external_id) from None
        except ReasonMissingError:
            told = _("The game has ended. Say why it should be void.")
            fault = Fault("reason", told)
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", told, faults=(fault,)) from None
        if waiting is None:
            return _answer(request, game, external_id, HTTPStatus.OK)
        return _answer(request, game, external_id, HTTPStatus.ACCEPTED, [waiting])

    @extend_schema(
        operation_id="get_game",
        summary="One of your games",
        parameters=[OWN_ID, _EXPLAIN],
        responses={
            200: OwnGameSerializer,
            404: problem_of("You haven’t sent a game with this id."),
        },
    )
    def get(self, request: Request, external_id: str) -> Response:
        """The same response as when you sent it."""
        _check_explain(request)
        return _answer(request, game_asked_for(request, external_id), external_id, HTTPStatus.OK)


def _check_explain(request: Request) -> None:
    """Refuse a word that asks for nothing, before anything is stored; raises ValidationError."""
    if request.query_params.get("explain", "") not in ("", "1"):
        raise serializers.ValidationError({"explain": _("Send explain=1, or leave it out.")})


def game_asked_for(request: Request, external_id: str) -> Game:
    """Return the server's game; raises Http404."""
    known_as, games = server_of(request).external_id(external_id), Game.objects.with_names()
    game = games.filter(external_id=known_as).first() or games.filter(external_id=stored_id(known_as)).first()
    if game is None:
        raise unknown(external_id)
    return game


def unknown(external_id: str) -> Http404:
    """Return the answer for an id that the server has never sent."""
    return Http404(_("You haven’t sent a game “%(id)s”. Send it first.") % {"id": external_id[:40]})


def refused(refusal: RefusedError) -> Problem:
    """Return the answer for a game that the office can't accept, with every reason."""
    faults = faults_of(refusal.faults)
    articles = [one.article for one in faults if one.article]
    return Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "refused",
        str(refusal),
        faults=faults,
        article=articles[0] if articles else "",
    )


def _other_id(sent: object, address: str) -> Problem:
    told = _(
        "id is %(sent)s, but the address says %(address)s. Leave id out, or send the one in the address."
    )
    words = {"sent": shown(str(sent)), "address": shown(address)}
    return refused(RefusedError([Fault("id", told % words, contradicts=True)]))


def _unreadable(faults: tuple[Fault, ...]) -> Problem:
    if all(one.contradicts for one in faults):
        return refused(RefusedError(list(faults)))
    return Problem(
        HTTPStatus.BAD_REQUEST,
        "invalid",
        "; ".join(map(str, faults)),
        faults=faults_of(faults),
    )


def _contradiction(found: ContradictionError) -> Problem:
    if found.lost is None:
        told = _("Another game is stored under this id. It differs in: %(differing)s.")
        told %= {"differing": found}
    else:
        told = _(
            "According to the events you sent, a player was gone for more than 60 seconds: “%(how)s” at "
            "%(moment)s, result %(result)s. If they were back in time, send that event first, then the "
            "game again."
        ) % {
            "how": found.lost.termination.value,
            "moment": utc_text(found.lost.at),
            "result": found.lost.result,
        }
    return Problem(
        HTTPStatus.CONFLICT,
        "contradiction",
        told,
        article="RBB 2.4" if found.lost else "",
        stored={**_version_json(found.stored), **{name: pair[0] for name, pair in found.fields.items()}},
        sent={**_version_json(found.sent), **{name: pair[1] for name, pair in found.fields.items()}},
        differing=found.differing,
    )


def _other_details(error: DetailsError) -> Problem:
    return Problem(
        HTTPStatus.CONFLICT,
        "contradiction",
        _(
            "The stored game is %(stored)s, and you sent %(sent)s. The variant of a rated game can’t "
            "change once the game has ended."
        )
        % {"stored": error.stored, "sent": error.sent},
        article=error.fault.article,
        stored={error.field: error.stored},
        sent={error.field: error.sent},
        differing=[error.field],
    )


def _version_json(version: Version) -> dict[str, Any]:
    return {
        "white": version.white,
        "black": version.black,
        "time_control": version.control.notation,
        "rated": version.rated,
        "started_at": utc_text(version.started_at),
        "result": version.result or None,
        "ended_at": version.ended_at and utc_text(version.ended_at),
    }


def _answer(
    request: Request, game: Game, own_id: str, status: HTTPStatus, waiting: Sequence[ChangeSet] = ()
) -> Response:
    headers = {"Location": reverse("arena:game", args=(own_id,))} if status == HTTPStatus.CREATED else None
    with_steps = bool(request.query_params.get("explain"))
    serializer = _TAKEN_BACK[with_steps] if waiting else _OWN_GAME[with_steps]
    answer = serializer.to_representation(OwnGame.of(game, own_id=own_id, waiting=waiting))
    return Response(answer, status=status, headers=headers)
