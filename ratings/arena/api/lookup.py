"""Lookup of many members at once, by username and FIDE ID, with their ratings now or at a moment."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from members.models import Member
from ratings.arena.api.fields import StrictSerializer, TextField, WholeNumberField
from ratings.arena.api.members import MemberOfServerView, MomentField
from ratings.arena.api.public_pages import StandingSerializer
from ratings.arena.scopes import Scope
from ratings.rbb.lists.as_of import StandingAt, standings_of
from ratings.rbb.serializers import Text, address

MOST: Final = 300
"""Maximum number of usernames and FIDE IDs together in one request."""


class LookupSerializer(StrictSerializer):
    """Usernames to look up, and the time."""

    usernames = serializers.ListField(
        child=TextField(max_length=150),
        required=False,
        default=list,
        max_length=MOST,
        help_text="Capital letters don’t matter; former usernames work too.",
    )
    fide_ids = serializers.ListField(
        child=WholeNumberField(min_value=1, max_value=999_999_999),
        required=False,
        default=list,
        max_length=MOST,
    )
    at = MomentField(
        required=False,
        allow_null=True,
        default=None,
        help_text="With its offset from UTC; null or left out: now.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require at least one name or id, at most MOST, and a moment that isn't in the future."""
        number = len(attrs["usernames"]) + len(attrs["fide_ids"])
        if not 1 <= number <= MOST:
            told = _("Send 1 to %(most)d usernames and FIDE IDs in total. You sent %(number)d.")
            raise serializers.ValidationError({"usernames": told % {"most": MOST, "number": number}})
        if attrs["at"] is not None and attrs["at"] > timezone.now():
            raise serializers.ValidationError({"at": _("That time is in the future.")})
        return attrs


class Found(NamedTuple):
    """A member who was asked for."""

    asked: str
    member: Member
    standings: list[StandingAt]


class FoundMemberSerializer(serializers.Serializer[Found]):
    """A member you asked for. Categories without events are left out."""

    asked = serializers.CharField(help_text="The username or FIDE ID as you sent it.")
    username = serializers.CharField(source="member.username", help_text="The current username.")
    fide_id = serializers.IntegerField(source="member.fide_id", allow_null=True)
    name = serializers.CharField(source="member.name", allow_blank=True)
    title = serializers.CharField(source="member.title", allow_blank=True)
    federation = serializers.CharField(source="member.federation", allow_blank=True)
    url = Text(source="member", value=address, help_text="The address of the page.")
    standings = StandingSerializer(many=True)


class UnknownMembersSerializer(serializers.Serializer[Any]):
    """Usernames and FIDE IDs that no member has."""

    usernames = serializers.ListField(child=serializers.CharField())
    fide_ids = serializers.ListField(child=serializers.IntegerField())


class LookedUpSerializer(serializers.Serializer[Any]):
    """Members in the order you asked for them, usernames first."""

    at = serializers.DateTimeField(allow_null=True, help_text="null: now.")
    members = FoundMemberSerializer(many=True)
    unknown = UnknownMembersSerializer()


@extend_schema_view(get=extend_schema(exclude=True), put=extend_schema(exclude=True))
class LookupView(MemberOfServerView):
    """The address for lookups. For other methods it is the address of a member named lookup."""

    @property
    def allowed_methods(self) -> list[str]:
        """The methods of this address, leaving out those of a member who may be named lookup."""
        return ["POST", "OPTIONS"]

    @property
    def scope(self) -> Scope | None:
        """The scope, None for POST: a lookup only reads, so everybody may do it."""
        return None if self.request.method == "POST" else super().scope

    @extend_schema(
        operation_id="look_up_members",
        summary="Look up many members, now or at a given time",
        description=(
            f"Up to {MOST} usernames and FIDE IDs; no token is needed. Ratings at a given time are those"
            " after the last event that had ended by then, according to today’s ledger. Names, titles and"
            " federations are today’s."
        ),
        request=LookupSerializer,
        responses=LookedUpSerializer,
        examples=[
            OpenApiExample(
                "Ratings at a given time",
                {"usernames": ["anna", "nobody"], "fide_ids": [1500001], "at": "2026-03-31T00:00:00Z"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, username: str) -> Response:
        """Return 200, even if no member is known."""
        serializer = LookupSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        asked = serializer.validated_data
        named = Member.objects.order_by().called_each(asked["usernames"])
        by_id = {one.fide_id: one for one in Member.objects.filter(fide_id__in=asked["fide_ids"]).order_by()}
        found = [(name, named.get(name)) for name in asked["usernames"]]
        found += [(str(number), by_id.get(number)) for number in asked["fide_ids"]]
        standings = standings_of([one.pk for _asked, one in found if one is not None], asked["at"])
        answer = {
            "at": asked["at"],
            "members": [Found(text, one, standings[one.pk]) for text, one in found if one is not None],
            "unknown": {
                "usernames": [name for name in asked["usernames"] if name not in named],
                "fide_ids": [number for number in asked["fide_ids"] if number not in by_id],
            },
        }
        return Response(LookedUpSerializer(answer).data)
