"""The public pages of members. The page of one member is the rating office's: ``ratings.views.profile``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.views import View

from foa.spreadsheet import Cell
from foa.web.listing import FilteredTableView
from members.exporting import MEMBER_COLUMNS, member_rows
from members.filters import MemberFilter
from members.models import Member
from members.tables import MemberTable


class MemberListView(FilteredTableView):
    """All members by name."""

    queryset = Member.objects.prefetch_related("ratings").order_by("name", "username", "pk")
    filterset_class = MemberFilter
    table_class = MemberTable
    tie_break = ("name", "username", "pk")
    title = _("Members")
    intro = _("With their live ratings.")
    file_name = "members"
    noun = "members"
    columns = MEMBER_COLUMNS

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return member_rows(queryset)


class FindMemberView(View):
    """Members found while somebody types; without JavaScript the same form opens the list of members."""

    FOUND_AT_ONCE = 8

    def get(self, request: HttpRequest) -> HttpResponse:
        """The first members by name whom ``member`` matches, as a piece of a page."""
        text = request.GET.get("member", "")[:100].strip()
        if not request.htmx:  # type: ignore[attr-defined]  # set by django_htmx's middleware
            return HttpResponseRedirect(f"{reverse('members:list')}?{urlencode({'member': text})}")
        found = (
            list(Member.objects.matching(text).prefetch_related("ratings")[: self.FOUND_AT_ONCE + 1])
            if text
            else []
        )
        return render(
            request,
            "members/_found.html",
            {
                "text": text,
                "found": found[: self.FOUND_AT_ONCE],
                "more": len(found) > self.FOUND_AT_ONCE,
            },
        )
