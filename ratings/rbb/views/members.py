"""The list of members, and the search for a member while somebody types."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.views import View

from foa.web.listing import FilteredTableView
from members.exporting import with_ratings
from members.models import Member
from members.tables import MemberTable
from ratings.rbb.filters import MemberFilter


class MemberListView(FilteredTableView):
    """All members by name."""

    queryset = with_ratings(Member.objects.prefetch_related("ratings")).order_by("name", "username", "pk")
    filterset_class = MemberFilter
    table_class = MemberTable
    tie_break = ("name", "username", "pk")
    title = _("Members")
    intro = _("With live ratings.")
    file_name = "members"
    noun = "members"
    template_name = "ratings/members.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add suggestions if a search has found nobody."""
        context = super().get_context_data(**kwargs)
        text = self.request.GET.get("member", "")[:100].strip()
        if text and not len(context["table"].rows):
            context["suggested"] = _suggested(text)
        return context


def _suggested(text: str) -> list[Member]:
    """Return members with similar names, for a search that has found nobody."""
    return list(Member.objects.resembling(text).order_by("name", "username").prefetch_related("ratings")[:5])


class FindMemberView(View):
    """Search while the user types; without JavaScript the same form opens the list of members."""

    FOUND_AT_ONCE = 8

    def get(self, request: HttpRequest) -> HttpResponse:
        """Return the first members by name that match ``member``, as an HTML fragment."""
        text = request.GET.get("member", "")[:100].strip()
        if "HX-Request" not in request.headers:
            return HttpResponseRedirect(f"{reverse('ratings:members')}?{urlencode({'member': text})}")
        found = (
            list(Member.objects.matching(text).prefetch_related("ratings")[: self.FOUND_AT_ONCE + 1])
            if text
            else []
        )
        return render(
            request,
            "ratings/_found_members.html",
            {
                "text": text,
                "suggested": [] if found or not text else _suggested(text),
                "found": found[: self.FOUND_AT_ONCE],
                "more": len(found) > self.FOUND_AT_ONCE,
            },
        )
