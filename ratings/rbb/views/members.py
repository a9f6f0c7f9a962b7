"""The list of members."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, Prefetch, QuerySet
from django.utils.translation import gettext_lazy as _

from foa.web.deprecation import JSON_GOES, Deprecation
from members.exporting import with_ratings
from members.models import Member
from members.tables import MemberTable
from ratings.rbb.filters import MemberFilter
from ratings.rbb.models import Rating
from ratings.rbb.views.member_lists import MemberFilteredView


class MemberListView(MemberFilteredView):
    """All members by name."""

    queryset = with_ratings(
        Member.objects.prefetch_related(
            Prefetch("ratings", Rating.objects.order_by().only("member", "category", "rating"))
        )
    ).order_by("name", "username", "pk")
    filterset_class = MemberFilter
    table_class = MemberTable
    tie_break = ("name", "username", "pk")
    title = _("Members")
    intro = _("All members, with their live ratings.")
    file_name = "members"
    noun = "members"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:members")

    def of(self, rows: QuerySet[Any], key: OuterRef) -> QuerySet[Any]:
        return rows.filter(pk=key)

    def address_for(self, member: Member) -> str:
        """Return the member's profile, to which a line of this list leads, too."""
        return member.get_absolute_url()
