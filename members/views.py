"""The public pages of members. Ratings are shown by templates of the rating office."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from foa.web.listing import FilteredTableView
from foa.web.typed import DetailView
from members.filters import MemberFilter
from members.models import Member
from members.tables import MemberTable

__all__ = ["MemberListView", "MemberView"]


class MemberListView(FilteredTableView):
    """All members by name."""

    queryset = Member.objects.prefetch_related("ratings").order_by("name", "username", "pk")
    filterset_class = MemberFilter
    table_class = MemberTable
    tie_break = ("name", "username", "pk")
    title = _("Members")


class MemberView(DetailView[Member]):
    """One member: who he is, where he stands in each category and how he came there."""

    template_name = "members/member.html"
    context_object_name = "member"

    def get_queryset(self) -> QuerySet[Member]:
        """With his spans of full membership and his ratings."""
        return Member.objects.prefetch_related("full_memberships", "ratings")
