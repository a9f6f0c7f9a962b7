"""Members, and the history of their ratings."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from foa.list_rows import ListRows, whole
from members.exporting import MEMBERS
from members.models import Member
from ratings.arena.api.public.paged import PagedView, PublicView, described, in_path
from ratings.arena.api.public.serializers import MemberDetailsSerializer
from ratings.arena.filters import HistoryFilter, MembersFilter
from ratings.rbb.lists.exports import CHANGES
from ratings.rbb.models import RatingChange

USERNAME = in_path("username", "anna")

_HISTORY: Final = ListRows(
    CHANGES.about, id=whole(help="The line of the ledger that explains it."), **CHANGES.columns
)


@described(
    "members",
    "MemberRow",
    MEMBERS,
    summary="Members, by name",
    description="`member` finds a part of a name or username, or a FIDE ID.",
)
class MembersView(PagedView):
    """All members with their displayed ratings."""

    filterset_class = MembersFilter
    noun = "members"

    def source(self, **place: Any) -> QuerySet[Any]:
        return Member.objects.order_by("name", "username", "pk")


class MemberView(PublicView):
    """A member."""

    @extend_schema(
        operation_id="member",
        summary="A member and their live ratings",
        parameters=[USERNAME],
        responses=MemberDetailsSerializer,
    )
    def get(self, request: Request, username: str) -> Response:
        """As in the list of members, with the exact rating in each category."""
        return Response(MemberDetailsSerializer(_member(username)).data)


@described(
    "member_history",
    "LedgerRow",
    _HISTORY,
    summary="A member's rating changes, latest first",
    description="One row for each event, also when the rating didn't move.",
    parameters=(USERNAME,),
)
class MemberHistoryView(PagedView):
    """The ledger lines of a member."""

    filterset_class = HistoryFilter
    noun = "changes"

    def source(self, **place: Any) -> QuerySet[Any]:
        return RatingChange.objects.filter(member=_member(place["username"]))


def _member(username: str) -> Member:
    member = Member.objects.called(username)
    if member is None:
        raise NotFound(_("There is no member “%(username)s”.") % {"username": username[:150]})
    return member
