"""A member's history as numbers for a chart and as a file."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext
from django.views import View

from foa.web.spreadsheet import csv_response
from members.models import Member
from ratings.profile import chart
from ratings.services.exports import CHANGE_COLUMNS, change_rows
from ratings.services.history import history

__all__ = ["HistoryView"]


class HistoryView(View):
    """``?format=json``: the lines of the chart; ``?format=csv``: the whole ledger of a member.

    Without a format it leads to the list of all changes, which has his history as pages.
    """

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """The history in the format asked for."""
        member = get_object_or_404(Member, pk=pk)
        match request.GET.get("format"):
            case None:
                return HttpResponseRedirect(f"{reverse('ratings:changes')}?player={pk}")
            case "json":
                return JsonResponse(
                    chart(history(member.rating_changes.all())), json_dumps_params={"separators": (",", ":")}
                )
            case "csv":
                rows = change_rows(member.rating_changes.in_order())
                return csv_response(f"member-{pk}-changes", CHANGE_COLUMNS, rows)
            case _:
                raise BadRequest(gettext("A history can be had with format=json or format=csv."))
