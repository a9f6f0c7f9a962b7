"""The common parts of a member's pages, redirects from merged accounts, and a member's history as numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponseBase,
    HttpResponsePermanentRedirect,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views import View

from foa.files import csv_response
from foa.moments import asked_moment
from foa.text import utc_text
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.negotiated import NegotiatedView
from members.models import Member
from ratings.rbb.lists.as_of import look_back
from ratings.rbb.lists.columns import CHANGES
from ratings.rbb.profile import Chart, Point, Results, Span
from ratings.rbb.serializers import PLAYER
from ratings.rbb.summaries import figures
from ratings.rules.time_controls import Category

TABS = (
    ("profile", _("Overview")),
    ("profile_games", _("Games")),
    ("profile_statistics", _("Statistics")),
    ("profile_titles", _("Titles")),
    ("profile_otb", _("Over the board")),
)


class Tab(NamedTuple):
    """A link to one of the pages."""

    address: str
    label: Promise
    current: bool


def goes(member: Member, instead: str, *more: str) -> Deprecation:
    """Return when a member's JSON goes, and what the API has instead."""
    place = {"username": member.username}
    return Deprecation(*JSON_GOES, instead, place, tuple((name, place) for name in more))


def results_json(results: Results) -> dict[str, Any]:
    return {
        "games": results.games,
        "won": results.won,
        "drawn": results.drawn,
        "lost": results.lost,
        "score": results.score,
    }


class MemberPage(NegotiatedView[Member]):
    """A page about a member as HTML and JSON.

    ``?as_of=T`` looks back to a moment: everything is as it was then, except the person and their
    memberships.
    """

    tab: ClassVar[str]
    context_object_name = "member"

    def get_queryset(self) -> QuerySet[Member]:
        """Select spans of full membership, former names and closures."""
        return Member.objects.prefetch_related("full_memberships", "closures", "former_names")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the tabs, and all figures from the ledger."""
        self.as_of = asked_moment(self.request.GET)
        self.now = self.as_of or timezone.now()
        self.figures = figures(self.object, self.now, self.as_of)
        query = f"?{urlencode({'as_of': self.request.GET['as_of']})}" if self.as_of else ""
        return super().get_context_data(
            rated=[one for one in self.figures.summary.standings if one.shown is not None],
            look_back=None if self.as_of is None else look_back(self.as_of, list(Category)),
            tabs=[
                Tab(f"{reverse(f'ratings:{name}', args=(self.object.pk,))}{query}", label, name == self.tab)
                for name, label in TABS
            ],
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the member and the moment shown; each page adds its own values."""
        return {
            "member": PLAYER.to_representation(self.object) | {"federation": self.object.federation or None},
            "as_of": utc_text(self.now),
            **self.own_json(context),
        }

    def own_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the values that only this page has."""
        raise NotImplementedError


def redirect_merged(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wrap a view of members by key (``pk``, ``other``). Only if it finds nobody does it cost a query."""

    @wraps(view)
    def answer(request: HttpRequest, **place: Any) -> HttpResponseBase:
        try:
            return view(request, **place)
        except Http404:
            now = place | {name: who_has(place[name]) for name in ("pk", "other") if name in place}
            if now == place or now.get("other") == now["pk"]:
                raise
            match: Any = request.resolver_match
            # Addresses contain the slugs of categories.
            words = {name: getattr(value, "slug", value) for name, value in now.items()}
            address = reverse(match.view_name, kwargs=words)
            query = request.META.get("QUERY_STRING", "")
            return HttpResponsePermanentRedirect(f"{address}?{query}" if query else address)

    return answer


def who_has(key: int) -> int:
    """Return the member into whom an account was merged, through any number of merges."""
    merged = Member.everybody.exclude(merged_into=None)
    while (into := merged.filter(pk=key).values_list("merged_into", flat=True).first()) is not None:
        key = into
    return key


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
                answer = JsonResponse(_chart_json(chart), json_dumps_params={"separators": (",", ":")})
                goes(member, "arena:member_chart").tell(answer)
                return answer
            case "csv":
                changes = member.rating_changes.in_order()
                changes = changes if as_of is None else changes.until(as_of)
                return csv_response(f"member-{pk}-changes", CHANGES.names, CHANGES.of(changes))
            case _:
                raise BadRequest(gettext("The history is available with format=json or format=csv."))


def _span(slug: str) -> Span:
    """Return the span with this name; raises BadRequest for an unknown one."""
    found = next((span for span in Span if span.slug == slug), None)
    if found is None:
        raise BadRequest(gettext("“span” can be 1m, 3m, 1y or all."))
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
