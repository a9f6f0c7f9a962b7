"""A member's history as numbers for a chart and as a file."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext
from django.views import View

from foa.files import FORMATS, TableFile, file_response
from foa.moments import asked_moment
from members.models import Member
from ratings.profile import chart
from ratings.services.ledger.history import history
from ratings.services.lists.exports import CHANGE_COLUMNS, change_rows


class HistoryView(View):
    """``?format=json``: the lines of the chart; ``?format=csv``: the whole ledger of a member.

    Both up to a moment with ``as_of=T``. Without a format it leads to the list of all changes,
    which has his history as pages.
    """

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """The history in the format asked for."""
        changes = get_object_or_404(Member, pk=pk).rating_changes.in_order()
        as_of = asked_moment(request.GET)
        if as_of is not None:
            changes = changes.until(as_of)
        match request.GET.get("format"):
            case None:
                return HttpResponseRedirect(f"{reverse('ratings:changes')}?player={pk}")
            case "json":
                return JsonResponse(chart(history(changes)), json_dumps_params={"separators": (",", ":")})
            case "csv":
                file = TableFile(
                    name=f"member-{pk}-changes",
                    columns=CHANGE_COLUMNS,
                    source=changes,
                    rows=change_rows(changes),
                    noun="changes",
                )
                return file_response(file, "csv", FORMATS["csv"])
            case _:
                raise BadRequest(gettext("A history can be had with format=json or format=csv."))
