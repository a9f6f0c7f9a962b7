"""Reports of organizers by token: the checks, limits, permissions and receipts of the pages, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import IO, Any, Final

from django.db.models import F
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from members.filters import NO_FEDERATION
from members.flags import code_of
from ratings.arena.api.base import ApiView
from ratings.arena.api.dry_runs import NOT_TRUE_OR_FALSE, is_dry
from ratings.arena.api.games import problem_of
from ratings.arena.api.parsing import LINES, too_large
from ratings.arena.api.permissions import HasScope
from ratings.arena.api.problems import Problem
from ratings.arena.api.public_pages import in_path
from ratings.arena.scopes import Scope as TokenScope
from ratings.formats.problems import Fault, file_name
from ratings.organizers.models import Scope, Submission
from ratings.organizers.services.checking import (
    MOST_OF_REPORT,
    MOST_OF_ROUND,
    FileFaults,
    Found,
    check,
    may_check,
)
from ratings.organizers.services.submissions import send, withdraw
from ratings.otb.models import Tournament
from ratings.otb.services.receiving import Received
from ratings.rbb.serializers import Text
from ratings.rules.b02.time_controls import Chapter

_LATEST: Final = 100
"""Maximum number of reports, and of what may be reported, in a list."""

_REPORT: Final = in_path("id", "4711", "The number of the report.", kind=OpenApiTypes.INT)


class _OfOrganizer(HasScope):
    def check_client(self, request: Request) -> None:
        """Raise Problem 403 unless the token is that of a login that may report something."""
        user = request.auth.application.user
        if user is None or not Scope.objects.of(user).exists():
            told = _("This login can no longer send reports. Ask us for an invitation.")
            raise Problem(HTTPStatus.FORBIDDEN, "not-active", told)


class _FileParser(BaseParser):
    """A parser that keeps a file byte for byte, and stops at the maximum size of a report."""

    media_type = LINES

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the bytes, with one more than is allowed if there are too many."""
        return stream.read(MOST_OF_REPORT + 1)


class FileQuerySerializer(serializers.Serializer[Any]):
    """Facts about a file that it doesn't contain itself."""

    name = serializers.CharField(
        required=False, max_length=200, help_text="Name of the file, for the receipt."
    )
    dry_run = serializers.ChoiceField(
        ("true", "false"),
        required=False,
        error_messages={"invalid_choice": NOT_TRUE_OR_FALSE},
        help_text="true: the file is checked but not sent. The response is 200, with what we found.",
    )


class NewFileQuerySerializer(FileQuerySerializer):
    """The same for a file of a federation or a team."""

    federation = serializers.CharField(required=False)
    team = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="Send this team’s matches in a league."
    )

    def validate_federation(self, text: str) -> str:
        """Return FIDE's code, by the rule of every filter."""
        code = code_of(text)
        if code is None:
            raise serializers.ValidationError(NO_FEDERATION % {"text": text[:40]})
        return code


class FindingSerializer(serializers.Serializer[Any]):
    """A finding about a tournament (B.02)."""

    kind = Text(source="finds", value=lambda finds: finds.name.lower(), help_text="For programs.")
    article = serializers.CharField()
    refuses = serializers.BooleanField(help_text="Whether it keeps the tournament from being rated.")
    accepted = serializers.SerializerMethodField(help_text="Whether we have accepted it.")
    detail = serializers.CharField(source="sentence")

    def get_accepted(self, row: Any) -> bool:
        """Return True if the office has accepted it."""
        return row.accepted is not None


class RemarkSerializer(serializers.Serializer[Any]):
    """A remark on a line of the file."""

    line = serializers.IntegerField(min_value=0)
    detail = serializers.CharField(source="text")


class CheckedReportSerializer(serializers.Serializer[Any]):
    """A tournament as its report describes it, with at most 200 of our findings and 200 remarks."""

    tournament = serializers.IntegerField(
        source="before.pk", allow_null=True, default=None, help_text="null: a new tournament."
    )
    name = serializers.CharField(source="tournament.name")
    first_day = serializers.DateField(source="tournament.first_day")
    last_day = serializers.DateField(source="tournament.last_day")
    federation = serializers.CharField(allow_blank=True)
    chapter = Text(source="tournament.chapter", value=lambda number: Chapter(number).slug)
    players = serializers.SerializerMethodField()
    refusing = serializers.SerializerMethodField(
        help_text="Number of findings that keep it from being rated."
    )
    findings = FindingSerializer(source="findings.rows", many=True)
    more_findings = serializers.IntegerField(source="findings.more")
    remarks = RemarkSerializer(source="shown_remarks.rows", many=True)
    more_remarks = serializers.IntegerField(source="shown_remarks.more")

    def get_players(self, found: Received) -> int:
        """Number of players."""
        return len(found.rated.participants)

    def get_refusing(self, found: Received) -> int:
        """Return the number of refusals that nobody has accepted."""
        return len(found.rated.refusals)


class CheckedMatchesSerializer(serializers.Serializer[Any]):
    """Matches of a league, as we would store them."""

    read_as = serializers.CharField()
    new_boards = serializers.IntegerField(source="stored_boards.stored")
    new_players = serializers.DictField(
        source="stored_boards.new_players",
        child=serializers.CharField(),
        help_text="Players who aren’t in any squad, with their teams.",
    )
    remarks = serializers.ListField(source="stored_boards.missing", child=serializers.CharField())


class CheckedFileSerializer(serializers.Serializer[Any]):
    """Outcome of a check: ``report`` or ``matches``; the other is null. A file with errors returns 422."""

    report = CheckedReportSerializer(allow_null=True)
    matches = CheckedMatchesSerializer(allow_null=True)


class SentReportSerializer(serializers.Serializer[Submission]):
    """The receipt for a file, with its status."""

    id = serializers.IntegerField(source="pk")
    tournament = serializers.IntegerField(
        source="tournament_id",
        allow_null=True,
        help_text="null: a new tournament not received yet, or a team’s file.",
    )
    team = serializers.IntegerField(source="team_id", allow_null=True)
    title = Text(source="what", value=str, help_text="What it reports, in words.")
    name = serializers.CharField(source="source", help_text="Name of the file.")
    sha256 = serializers.CharField()
    state = serializers.ChoiceField(
        Submission.State.values,
        help_text="`taken`: we have started on it. `received`: we have stored it.",
    )
    reason = serializers.CharField(allow_blank=True, help_text="Why it was returned.")
    sent_at = serializers.DateTimeField()
    confirmed_at = serializers.DateTimeField(
        allow_null=True, help_text="By the federation’s rating administrator (B.02 9.3)."
    )
    closed_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was received, returned or withdrawn."
    )
    rated_for = serializers.SerializerMethodField(
        help_text="Date of the list for which the tournament was rated from this file."
    )
    url = serializers.CharField(source="get_absolute_url", help_text="The page of the receipt.")

    @extend_schema_field(serializers.DateField(allow_null=True))
    def get_rated_for(self, sent: Submission) -> str | None:
        """Return the day, once its sender was told of it."""
        return None if sent.told_for is None else sent.told_for.isoformat()


class MayReportSerializer(serializers.Serializer[Scope]):
    """A tournament, federation or team that your login may send reports for; two of the three are null."""

    tournament = serializers.IntegerField(source="tournament_id", allow_null=True)
    federation = Text(value=lambda code: code or None, allow_null=True)
    team = serializers.IntegerField(source="team_id", allow_null=True)
    title = Text(source="what", value=str, help_text="In words.")


class ReportingSerializer(serializers.Serializer[Any]):
    """The reports a login may send, and the latest 100 files it sent, newest first."""

    may_report = MayReportSerializer(many=True)
    reports = SentReportSerializer(many=True)


_FEDERATION: Final = OpenApiParameter(
    "federation",
    {"type": "string", "pattern": "^[A-Z]{3}$"},
    description="Send the report of one of this federation’s tournaments, even a new one.",
    examples=[OpenApiExample("NOR", value="NOR")],
)
_FILE: Final = """012 Fjord Open
022 Oslo
032 NOR
042 2026/03/01
052 2026/03/01
062 2
092 Individual: Round-Robin
122 90 minutes, 30 seconds each move
132                                                                                        26/03/01
001    1 m    Berg, Anna                        2000 NOR     1500001 1990/00/00  1.0    1     2 w 1
001    2 m    Vik, Bert                         1900 NOR     1500002 1990/00/00  0.0    2     1 b 0
"""

_RECEIPT: Final = {
    "id": 4711,
    "tournament": 4711,
    "team": None,
    "title": "Fjord Open (1 Mar 2026)",
    "name": "open.trf",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "state": "sent",
    "reason": "",
    "sent_at": "2026-03-02T18:00:00Z",
    "confirmed_at": None,
    "closed_at": None,
    "rated_for": None,
    "url": "/organizers/reports/4711/",
}
_EXAMPLES: Final = [
    OpenApiExample("A report", _FILE, request_only=True, media_type=LINES),
    OpenApiExample("Sent", _RECEIPT, response_only=True, status_codes=["201"]),
]
_ANSWERS: Final = {
    200: CheckedFileSerializer,
    201: SentReportSerializer,
    422: problem_of("The file has errors or can’t be sent now; `errors` has every reason, with its line."),
}


class _OfOrganizerView(ApiView):
    """An address for the program of an organizer."""

    scope = TokenScope.REPORTS
    permission_classes = (_OfOrganizer,)
    parser_classes = (_FileParser,)

    @property
    def user(self) -> Any:
        """The login whose program asks."""
        return self.request.auth.application.user

    def take(self, scope: Scope, tournament: Tournament | None, asked: Mapping[str, Any]) -> Response:
        """Check or send the file under a scope, as its page does."""
        content = bytes(self.request.data or b"")
        most = MOST_OF_REPORT if scope.team_id is None else MOST_OF_ROUND
        if len(content) > most:
            raise too_large(most)
        if not may_check(self.user):
            told = _("Too many files were checked within an hour. Try again later.")
            raise Problem(HTTPStatus.TOO_MANY_REQUESTS, "too-many", told, headers={"Retry-After": "3600"})
        source = file_name(asked.get("name", "report.trf" if scope.team_id is None else "round.csv"))
        now = timezone.now()
        try:
            if is_dry(self.request):
                found = check(
                    tournament=tournament,
                    federation=scope.federation,
                    team=scope.team,
                    content=content,
                    source=source,
                    at=now,
                )
                return Response(_checked(found))
            sent = send(
                scope=scope, tournament=tournament, by=self.user, content=content, source=source, at=now
            )
        except FileFaults as faults:
            reasons = tuple(
                Fault("file", reason, line=getattr(reason, "line", 0)) for reason in faults.reasons
            )
            told = _("Nothing was sent. Correct the file, and send it again.")
            raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "refused", told, faults=reasons) from None
        return Response(SentReportSerializer(sent).data, status=HTTPStatus.CREATED)


def _checked(found: Found) -> Any:
    is_report = isinstance(found, Received)
    told = {"report": found if is_report else None, "matches": None if is_report else found}
    return CheckedFileSerializer(told).data


class ReportsView(_OfOrganizerView):
    """The reports of a login."""

    @extend_schema(
        operation_id="reports",
        summary="What you may report, and what you have sent",
        responses=ReportingSerializer,
        examples=[
            OpenApiExample(
                "One tournament",
                {
                    "may_report": [
                        {"tournament": 4711, "federation": None, "team": None, "title": _RECEIPT["title"]}
                    ],
                    "reports": [_RECEIPT],
                },
                response_only=True,
            )
        ],
    )
    def get(self, request: Request) -> Response:
        """The reports your login may send, and the files you have sent."""
        scopes = Scope.objects.of(self.user).select_related("tournament", "team__season").order_by("pk")
        told = {"may_report": scopes[:_LATEST], "reports": _sent(self.user)[:_LATEST]}
        return Response(ReportingSerializer(told).data)

    @extend_schema(
        operation_id="send_new_report",
        summary="Send a report of a federation or a team",
        description=(
            "Give either `federation` or `team`. For a federation, send the report of any of its "
            "tournaments; if the tournament isn’t registered yet, the report registers it. For a team, "
            "send the boards of a round as CSV, at most 1 MB. Otherwise as in “Send a tournament report”."
        ),
        parameters=[NewFileQuerySerializer, _FEDERATION],
        request={LINES: OpenApiTypes.BINARY},
        responses=_ANSWERS,
        examples=_EXAMPLES,
    )
    def post(self, request: Request) -> Response:
        """Check or send a file."""
        asked = _asked(request, NewFileQuerySerializer)
        of = {name: asked[name] for name in ("federation", "team") if name in asked}
        if len(of) != 1:
            raise ValidationError({"federation": [_("Send either a federation or a team.")]})
        scopes = Scope.objects.of(self.user).filter(**of).select_related("team__season")
        return self.take(_first(scopes), None, asked)


class TournamentReportsView(_OfOrganizerView):
    """The reports of a registered tournament."""

    @extend_schema(
        operation_id="send_report",
        summary="Send a tournament report",
        description=(
            "The bytes of a TRF16 or TRF26 file, at most 8 MB. Use `dry_run=true` first: the response "
            "says what we find in the file, and nothing is sent. You can send a report with findings; we "
            "then decide. Sending a file again while it is waiting changes nothing; another file for the "
            "same tournament replaces it. Checks, receipts and limits are the same as on the page “My "
            "tournaments”: 60 files an hour, checked or sent, and 50 sent a day."
        ),
        parameters=[
            in_path("id", "4711", "The number of the tournament.", kind=OpenApiTypes.INT),
            FileQuerySerializer,
        ],
        request={LINES: OpenApiTypes.BINARY},
        responses=_ANSWERS,
        examples=_EXAMPLES,
    )
    def post(self, request: Request, id: int) -> Response:
        """Check or send a file."""
        asked = _asked(request, FileQuerySerializer)
        tournament = Tournament.objects.select_related("report").filter(pk=id).first()
        scopes = Scope.objects.of(self.user).select_related("team")
        mine = [scope for scope in scopes if tournament is not None and scope.covers(tournament)]
        return self.take(_first(scopes.filter(pk__in=[scope.pk for scope in mine])), tournament, asked)


class ReportView(_OfOrganizerView):
    """A file that was sent."""

    @extend_schema(
        operation_id="report",
        summary="The status of a report",
        parameters=[_REPORT],
        responses=SentReportSerializer,
        examples=[OpenApiExample("Sent", _RECEIPT, response_only=True)],
    )
    def get(self, request: Request, id: int) -> Response:
        """The receipt with its current status."""
        return Response(SentReportSerializer(_one(self.user, id)).data)


class WithdrawReportView(_OfOrganizerView):
    """The address to withdraw a file."""

    @extend_schema(
        operation_id="withdraw_report",
        summary="Withdraw a report",
        description="You can do this until we start working on the report.",
        parameters=[_REPORT],
        request=None,
        responses={
            200: SentReportSerializer,
            422: problem_of("We have already started on it, or it is closed."),
        },
        examples=[OpenApiExample("Withdrawn", {**_RECEIPT, "state": "withdrawn"}, response_only=True)],
    )
    def post(self, request: Request, id: int) -> Response:
        """Withdraw it."""
        withdraw(_one(self.user, id), by=self.user, at=timezone.now())
        return Response(SentReportSerializer(_one(self.user, id)).data)


def _asked(request: Request, serializer: type[FileQuerySerializer]) -> Mapping[str, Any]:
    given = {name: value for name, value in request.query_params.items() if value}
    asked = serializer(data=given)
    asked.is_valid(raise_exception=True)
    return asked.validated_data


def _first(scopes: Any) -> Scope:
    """Return the scope under which to send; that of a rating administrator confirms it at once."""
    found: Scope | None = scopes.order_by(F("administrator").asc(nulls_last=True), "pk").first()
    if found is None:
        raise NotFound(_("You can’t report this. GET /api/v1/reports lists what you can report."))
    return found


def _sent(user: Any) -> Any:
    return Submission.objects.of(user).select_related("tournament", "team").defer("content").order_by("-pk")


def _one(user: Any, key: int) -> Submission:
    found: Submission | None = _sent(user).filter(pk=key).first()
    if found is None:
        raise NotFound(_("This report doesn’t exist."))
    return found


urlpatterns = [
    path("reports", ReportsView.as_view(), name="reports"),
    path("tournaments/<int:id>/reports", TournamentReportsView.as_view(), name="tournament_reports"),
    path("reports/<int:id>", ReportView.as_view(), name="report"),
    path("reports/<int:id>/withdraw", WithdrawReportView.as_view(), name="withdraw_report"),
]
