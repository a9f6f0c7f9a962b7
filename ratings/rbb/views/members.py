"""The list of members."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Prefetch
from django.utils.translation import gettext_lazy as _

from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.listing import FilteredTableView
from members.exporting import with_ratings
from members.models import Member
from members.tables import MemberTable
from ratings.rbb.filters import MemberFilter
from ratings.rbb.models import Rating
from ratings.rbb.searching import who_is_meant

SUGGESTED: Final = 5


class MemberListView(FilteredTableView):
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
    template_name = "ratings/members.html"

    def json_deprecated(self) -> Deprecation:
        """Return the address of the list in the API."""
        return Deprecation(*JSON_GOES, "arena:members")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add suggestions if a search has found nobody."""
        context = super().get_context_data(**kwargs)
        text = self.request.GET.get("member", "")[:100].strip()
        if text and not len(context["table"].rows):
            context["suggested"], _guessed = who_is_meant(text, SUGGESTED)
        return context
