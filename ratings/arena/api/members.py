"""Members, as game servers send them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Prefetch, prefetch_related_objects
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from foa.text import utc_text
from members.importing import FACTS
from members.inviting import is_invited
from members.models import TITLES, Member
from members.usernames import composed, fault_in
from ratings.arena.api.dry_runs import DRY_RUN, dry_run
from ratings.arena.api.fields import (
    RATING_PATTERN,
    StrictSerializer,
    TextField,
    TruthField,
    WholeNumberField,
)
from ratings.arena.api.permissions import check_scope, server_of
from ratings.arena.api.problems import Problem, ProblemSerializer
from ratings.arena.api.public import USERNAME, MemberView
from ratings.arena.filters import moment_with_offset
from ratings.arena.scopes import Scope
from ratings.arena.services.members import SentMember, invite_for, put_member, waiting_for
from ratings.formats.problems import Fault, shown
from ratings.office.models import ChangeSet
from ratings.rbb.models import OpeningRating
from ratings.rbb.serializers import CategoryField, Text, address


@extend_schema_field(OpenApiTypes.DATETIME)
class MomentField(TextField):
    """A field for a moment with its UTC offset."""

    def to_internal_value(self, data: Any) -> datetime:
        """Return the moment in UTC."""
        text = super().to_internal_value(data)
        try:
            return moment_with_offset(text)
        except ValueError:
            told = _("%(text)s isn’t a date and time with an offset, such as 2026-01-31T18:30:00Z.")
            raise serializers.ValidationError(told % {"text": shown(text)}) from None

    def to_representation(self, value: Any) -> str:
        """Return the moment in ISO 8601 with Z."""
        return utc_text(value)


class SpanSerializer(StrictSerializer):
    """A span of full membership, up to but not including its end."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields; one of their names is a Python keyword."""
        return {
            "from": MomentField(source="full_from"),
            "until": MomentField(
                source="full_until", required=False, allow_null=True, help_text="null: still a member."
            ),
        }


@extend_schema_field(
    {
        "type": "string",
        "pattern": RATING_PATTERN,
        "description": "Exact: 1500.00. From 100 to 4000.",
    }
)
class _RatingField(TextField):
    """A field for an exact rating, which the stored field checks."""


class OpeningSerializer(StrictSerializer):
    """A rating that a member starts with in a category (RBB 3.4), carried over from an earlier system."""

    category = CategoryField()
    rating = _RatingField(max_length=7)
    games = WholeNumberField(
        default=0, min_value=0, max_value=1_000_000, help_text="Rated games played before."
    )
    previously_unrated = TruthField(
        default=False, help_text="K = 40 until 30 rated games are completed (RBB 3.10.3)."
    )
    effective_at = MomentField(help_text="When it takes effect; not in the future.")

    def validate_rating(self, text: str) -> Decimal:
        """Return points with two decimals; raises ValidationError."""
        try:
            rating = OpeningRating._meta.get_field("rating").clean(text, None)
        except ValidationError as error:
            raise serializers.ValidationError(error.messages) from None
        return cast(Decimal, rating)


class MemberSerializer(StrictSerializer):
    """Data that a server sends about a member; fields left out stay as they are."""

    name = TextField(required=False, allow_blank=True, max_length=100, help_text="Last, First")
    fide_id = WholeNumberField(required=False, allow_null=True, min_value=1, max_value=999_999_999)
    federation = TextField(required=False, allow_blank=True, help_text="NOR, or empty.")
    sex = TextField(required=False, allow_blank=True, help_text="M, F, or empty.")
    birth_year = WholeNumberField(required=False, allow_null=True)
    title = TextField(required=False, allow_blank=True, help_text=f"{', '.join(TITLES)}, or empty.")
    email = serializers.EmailField(
        required=False,
        write_only=True,
        max_length=254,
        help_text="Invites the member to set up a login (scope invitations). It isn’t stored.",
    )
    language = serializers.ChoiceField(
        required=False, write_only=True, choices=settings.LANGUAGES, help_text="Language of the invitation."
    )
    spans = SpanSerializer(
        source="full_memberships",
        many=True,
        required=False,
        max_length=100,
        help_text="All spans of full membership (RBB 2.1).",
    )
    opening_ratings = OpeningSerializer(
        many=True,
        required=False,
        max_length=20,
        help_text="Starting ratings (RBB 3.4). Those already stored don’t change.",
    )


class WaitingSerializer(serializers.Serializer[ChangeSet]):
    """A decision that is waiting for our confirmation."""

    id = serializers.IntegerField(source="pk")
    state = serializers.CharField()
    proposed_at = MomentField()


class InvitedField(serializers.BooleanField):
    """True if an invitation waits for the member."""

    def to_representation(self, value: Member) -> bool:
        return is_invited(value, timezone.now())


class WaitingField(serializers.ListField):
    """Decisions about the member that wait."""

    child = WaitingSerializer()

    def to_representation(self, data: Member) -> list[Any]:
        return super().to_representation(waiting_for(data))


class MemberAnswerSerializer(MemberSerializer):
    """A member as stored, and what is waiting to be confirmed."""

    username = serializers.CharField()
    url = Text(source="*", value=address, help_text="The member’s page.")
    invited = InvitedField(source="*", help_text="Whether an invitation is open.")
    waiting = WaitingField(source="*")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields in the order of the answer."""
        fields = super().get_fields()
        last = ("url", "invited", "spans", "opening_ratings", "waiting")
        return {name: fields[name] for name in ("username", *FACTS, *last)}


EXAMPLE = {
    "name": "Berg, Anna",
    "federation": "NOR",
    "fide_id": 1500001,
    "spans": [{"from": "2026-03-01T00:00:00Z", "until": None}],
}


class MemberOfServerView(MemberView):
    """The address of a member: everybody may read it, and servers may write it."""

    scope_to_write = Scope.MEMBERS

    @extend_schema(
        operation_id="put_member",
        summary="Register or change a member",
        description=(
            "A new member, and any change that affects no rating, is stored at once. Spans of full "
            "membership that affect games already played, the FIDE ID of somebody who has played, and "
            "starting ratings wait for our confirmation (202) unless we trust your server. A newer "
            "request with spans or a FIDE ID replaces the one that is waiting, so send both together. "
            "With `email`, a member without a login is invited by email to set one up, at most once a "
            "week."
        ),
        parameters=[USERNAME, DRY_RUN],
        request=MemberSerializer,
        responses={
            200: MemberAnswerSerializer,
            201: OpenApiResponse(MemberAnswerSerializer, "The member is new."),
            202: OpenApiResponse(MemberAnswerSerializer, "Part of it is waiting for our confirmation."),
            422: OpenApiResponse(ProblemSerializer, "An invalid value."),
        },
        examples=[OpenApiExample("A full member", EXAMPLE, request_only=True)],
    )
    def put(self, request: Request, username: str) -> Response:
        """Return 200, 201, or 202 if a part of the request waits for confirmation."""
        server = server_of(request)
        check_username(username)
        serializer = MemberSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        said = serializer.validated_data
        email, language = said.pop("email", None), said.pop("language", None)
        if email is not None:
            check_scope(request, Scope.INVITATIONS)
        with dry_run(request):
            done = put_member(server, sent_member(username, said))
            if email is not None:
                invite_for(server, done.member, email, language or settings.LANGUAGE_CODE)
            status = HTTPStatus.CREATED if done.is_new else HTTPStatus.OK
            return Response(_answer(done.member), HTTPStatus.ACCEPTED if done.waits else status)


def sent_member(username: str, said: dict[str, Any]) -> SentMember:
    """Return a member from the values of a MemberSerializer."""
    spans = said.pop("full_memberships", None)
    openings = said.pop("opening_ratings", ())
    if spans is not None:
        spans = [(span["full_from"], span.get("full_until")) for span in spans]
    for name in {"federation", "sex", "title"} & said.keys():
        said[name] = said[name].upper()
    return SentMember(username, said, spans, openings)


def check_username(username: str) -> None:
    """Refuse an invalid username; raises Problem 400."""
    texts = []
    try:
        Member._meta.get_field("username").clean(composed(username), None)
    except ValidationError as error:
        texts += error.messages
    # A member who got such a username before it became invalid must still be found.
    if (fault := fault_in(composed(username))) and Member.objects.called(username) is None:
        texts.append(str(fault))
    if texts:
        faults = tuple(Fault("username", text) for text in texts)
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid", _("The request can’t be read."), faults=faults)


def _answer(member: Member) -> dict[str, Any]:
    """Return a member as stored."""
    openings = OpeningRating.objects.order_by("effective_at", "category", "pk")
    prefetch_related_objects([member], Prefetch("opening_ratings", openings))
    return dict(MemberAnswerSerializer(member).data)
