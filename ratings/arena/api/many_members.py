"""Many members in one request: a line of JSON for each member, and a line of JSON for each answer."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from ratings.arena.api.dry_runs import DRY_RUN, dry_run
from ratings.arena.api.fields import TextField, WithoutEmpty
from ratings.arena.api.handling import problem_of_error
from ratings.arena.api.lines import (
    LINES_PROBLEMS,
    LinesParser,
    UnnamedLinesParser,
    lines_of,
    verdicts_response,
)
from ratings.arena.api.members import EXAMPLE, MemberSerializer, check_username, sent_member
from ratings.arena.api.parsing import LINES, NDJSON
from ratings.arena.api.permissions import server_of
from ratings.arena.api.problems import Problem
from ratings.arena.api.public import MembersView
from ratings.arena.api.public_pages import RowSerializer
from ratings.arena.scopes import Scope
from ratings.arena.services.bulk import Verdict
from ratings.arena.services.members import MOST_ALONE, MemberPut, SentMember, put_members
from ratings.formats import problems

_MEMBER: Final = {"username": "anna", **EXAMPLE}


class SentMemberLineSerializer(MemberSerializer):
    """A member as on your server, with the username. Invitations are sent one by one."""

    username = TextField(max_length=150, trim_whitespace=False)
    email = language = None  # so a field is left out


_LINE: Final = SentMemberLineSerializer()
"""Made once: making one takes longer than what it does for a line."""


class MemberVerdictSerializer(WithoutEmpty, RowSerializer):
    """The outcome for one line with a member."""

    line = serializers.IntegerField(min_value=1)
    username = serializers.CharField(
        allow_null=True, help_text="As you sent it; null if the line has no username, or one that isn’t text."
    )
    verdict = serializers.ChoiceField(
        ("stored", "already there", "updated", "waits", "refused"),
        help_text="waits: part of it is waiting for our confirmation, like 202 for one member.",
    )
    reason = serializers.CharField(required=False, help_text="Why it was refused, or what is waiting.")
    kind = serializers.ChoiceField(
        ("invalid", "refused", "busy"), required=False, help_text="Kind of problem, for programs."
    )
    field = serializers.CharField(required=False, help_text="The first field with an error.")
    member = serializers.CharField(required=False, help_text="The address of the member, unless refused.")


class MembersInBulkView(MembersView):
    """The members for everybody, and the address for up to 10,000 members of a server."""

    scope_to_write = Scope.MEMBERS
    parser_classes = (LinesParser, UnnamedLinesParser)

    @extend_schema(
        operation_id="send_members",
        summary="Register or change many members",
        description=(
            "One member per line, as a JSON object with `username` and the fields that `PUT` takes for "
            "one member, except `email` and `language`: up to 10,000 lines of at most 64 KB each, 64 MB "
            "in all, as `application/x-ndjson` or, from generated clients, `application/octet-stream`. "
            "The response has a verdict for each line that isn’t blank, in the same order. A refused "
            "line doesn’t affect the others. New members are stored together, and all their starting "
            "ratings are a single decision in our register. Changing spans or FIDE IDs of registered "
            "members takes longer: one request changes at most 500 of them, and the others get the kind "
            "`busy`. If you get no response, send the same request again: what was stored is then "
            "“already there”."
        ),
        parameters=[DRY_RUN],
        request={NDJSON: SentMemberLineSerializer},
        responses={
            (200, NDJSON): MemberVerdictSerializer,
            (200, LINES): MemberVerdictSerializer,
            **LINES_PROBLEMS,
        },
        examples=[
            OpenApiExample("A full member", _MEMBER, request_only=True, media_type=NDJSON),
            OpenApiExample(
                "Stored",
                {"line": 1, "username": "anna", "verdict": "stored", "member": "/api/v1/members/anna"},
                response_only=True,
                media_type=NDJSON,
            ),
        ],
    )
    def post(self, request: Request) -> HttpResponse:
        """Store what can be stored, and answer for each line."""
        server = server_of(request)
        with lines_of(request, check_texts=True) as lines:
            read = {number: _read(number, said) for number, said in lines}
            sent = {number: one for number, (_name, one) in read.items() if isinstance(one, SentMember)}
            with dry_run(request):
                done = put_members(server, sent)
        told = []
        for number, (username, one) in read.items():
            member = done.get(number)
            outcome = one if isinstance(one, Verdict) else _verdict(member)
            what, reason, kind, field, *_nothing = outcome
            stored = member.member.username if isinstance(member, MemberPut) else ""
            address = f"{request.path}/{quote(stored, safe='')}" if stored else ""
            told.append((number, username, what, reason, kind, field, address))
        return verdicts_response(request, MemberVerdictSerializer(told, many=True).data)


def _read(number: int, said: dict[str, Any] | problems.Problem) -> tuple[str | None, SentMember | Verdict]:
    """Return the username on a line, if it has one, and the member or why it is refused."""
    if isinstance(said, problems.Problem):
        return None, Verdict("refused", said.reason, "invalid")
    username = said.get("username")
    name = username if isinstance(username, str) else None
    try:
        values = _LINE.run_validation(said)
        username = values.pop("username")
        check_username(username)
    except (serializers.ValidationError, Problem) as error:
        return name, _refused(error)
    return name, sent_member(username, values)


def _verdict(outcome: MemberPut | ValidationError | None) -> Verdict:
    if outcome is None:
        told = _(
            "A game can depend on at most %(most)d other lines of the same request. Send this line again."
        )
        return Verdict("refused", told % {"most": MOST_ALONE}, "busy")
    if isinstance(outcome, ValidationError):
        return _refused(outcome)
    if outcome.waits:
        return Verdict("waits", _("Part of it is waiting for our confirmation."))
    if not outcome.changed:
        return Verdict("already there")
    return Verdict("stored" if outcome.is_new else "updated")


def _refused(error: Exception) -> Verdict:
    """Return a verdict with the reasons of all faults, and the place of the first."""
    problem = problem_of_error(error)
    if problem is None:
        raise error
    reasons = (f"{one.field}: {one.text}" if one.field else one.text for one in problem.faults)
    return Verdict("refused", "; ".join(reasons), problem.kind, problem.faults[0].field)
