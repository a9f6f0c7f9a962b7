"""Members, and the history of their ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from foa.spreadsheet import Cell
from foa.text import utc_text
from members.exporting import MEMBER_COLUMNS, member_rows
from members.models import Member
from ratings.arena.api.public.paged import PagedView, PublicView, described, in_path
from ratings.arena.api.public.serializers import (
    LedgerRowSerializer,
    MemberDetailsSerializer,
    MemberRowSerializer,
)
from ratings.arena.filters import HistoryFilter, MembersFilter
from ratings.rbb.lists.exports import CHANGE_COLUMNS, change_rows
from ratings.rbb.lists.lines import Standing, standings_of
from ratings.rbb.models import RatingChange

USERNAME = in_path("username", "anna")


@described(
    "members",
    MemberRowSerializer,
    summary="Members, by name",
    description="`member` finds a part of a name or username, or a FIDE ID.",
)
class MembersView(PagedView):
    """All members with their displayed ratings."""

    filterset_class = MembersFilter
    noun = "members"

    def source(self, **place: Any) -> QuerySet[Any]:
        return Member.objects.order_by("name", "username", "pk")

    def columns(self) -> Sequence[str]:
        return MEMBER_COLUMNS

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return member_rows(queryset)


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
        member = _member(username)
        (row,) = member_rows(Member.objects.filter(pk=member.pk))
        return Response(
            {
                **dict(zip(MEMBER_COLUMNS, row, strict=True)),
                "url": member.get_absolute_url(),
                "full_member": Member.objects.full(at=timezone.now()).filter(pk=member.pk).exists(),
                "closures": [
                    {
                        "from": utc_text(one.closed_from),
                        "until": one.closed_until and utc_text(one.closed_until),
                        "reason": one.category,
                    }
                    for one in member.closures.order_by("closed_from")
                ],
                "standings": standings_json(standings_of([member.pk])[member.pk]),
            }
        )


@described(
    "member_history",
    LedgerRowSerializer,
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

    def columns(self) -> Sequence[str]:
        return ("id", *CHANGE_COLUMNS)

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        for key, row in zip(queryset.values_list("pk", flat=True), change_rows(queryset), strict=True):
            yield key, *row


def standings_json(standings: Iterable[Standing]) -> list[dict[str, Any]]:
    """Return a member's standings, in the order of the categories."""
    return [
        {
            "category": one.category.slug,
            "rating": one.displayed,
            "exact": one.rating,
            "games": one.games,
            "last_event_at": utc_text(one.last_event_at),
            "last_change": one.last_change,
        }
        for one in standings
    ]


def _member(username: str) -> Member:
    member = Member.objects.called(username)
    if member is None:
        raise NotFound(_("There is no member “%(username)s”.") % {"username": username[:150]})
    return member
