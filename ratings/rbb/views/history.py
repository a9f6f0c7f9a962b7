"""A member's history as numbers for a chart and as a file."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views import View

from foa.files import csv_response
from foa.moments import asked_moment
from members.models import Member
from ratings.rbb.lists.exports import CHANGES
from ratings.rbb.profile import Chart, Point, Span
from ratings.rbb.summaries import figures


class HistoryView(View):
    """A member's history: ``?format=json`` has the chart's points, ``?format=csv`` the whole ledger.

    Both can end at a moment with ``as_of=T``; ``span`` (1m, 3m, 1y, all) limits the points. Without a format
    it redirects to the list of all changes, which has the history as pages.
    """

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Return the history in the requested format."""
        member = get_object_or_404(Member, pk=pk)
        as_of = asked_moment(request.GET)
        match request.GET.get("format"):
            case None:
                return HttpResponseRedirect(f"{reverse('ratings:changes')}?player={pk}")
            case "json":
                span = _span(request.GET.get("span", Span.ALL.slug))
                chart = figures(member, as_of or timezone.now(), as_of).charts[span]
                return JsonResponse(_chart_json(chart), json_dumps_params={"separators": (",", ":")})
            case "csv":
                changes = member.rating_changes.in_order()
                changes = changes if as_of is None else changes.until(as_of)
                return csv_response(f"member-{pk}-changes", CHANGES.names, CHANGES.of(changes))
            case _:
                raise BadRequest(gettext("A history can be had with format=json or format=csv."))


def _span(slug: str) -> Span:
    """Return the span with this name; raises BadRequest for an unknown one."""
    found = next((span for span in Span if span.slug == slug), None)
    if found is None:
        raise BadRequest(gettext("Choose the span 1m, 3m, 1y or all."))
    return found


def _chart_json(chart: Chart) -> dict[str, Any]:
    """Return parallel lists by category: seconds, games so far, ratings and changes in hundredths, keys."""
    opponents = {point.opponent for points in chart.lines.values() for point in points if point.opponent}
    lines = {category.slug: _columns(points) for category, points in chart.lines.items()}
    return {
        **lines,
        "names": {who.pk: str(who) for who in Member.everybody.in_bulk(opponents).values()},
    }


def _columns(points: list[Point]) -> dict[str, list[int | None]]:
    return {
        "moments": [point.moment for point in points],
        "games": [point.games for point in points],
        "ratings": [point.rating for point in points],
        "changes": [point.change for point in points],
        "lines": [point.line for point in points],
        "opponents": [point.opponent for point in points],
    }
