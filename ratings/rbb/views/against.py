"""Pages of one member's games against another."""

from __future__ import annotations

from django import forms
from django.db.models import F, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext
from django.views import View

from foa.web.paging import page_of
from members.models import Member
from ratings.rbb import profile
from ratings.rbb.ledger.history import history
from ratings.rbb.models import RatingChange
from ratings.rbb.tables import MutualGameTable
from ratings.rules.time_controls import Category

FOUND_AT_ONCE = 20
GAMES_ON_A_PAGE = 50


class MemberSearchForm(forms.Form):
    """Search form for a member: part of a name or username, or a FIDE ID."""

    member = forms.CharField(required=False, max_length=100)


class OpponentView(View):
    """Page to choose an opponent: a search, and the most frequent opponents."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the page, with status 400 for an invalid text."""
        form = MemberSearchForm(request.GET)
        fault = "" if form.is_valid() else str(form.errors["member"][0])
        return _choice(request, get_object_or_404(Member, pk=pk), form.cleaned_data.get("member", ""), fault)


class HeadToHeadView(View):
    """Two members: the score by category and colour, and their games with the changes of both."""

    def get(self, request: HttpRequest, pk: int, other: int) -> HttpResponse:
        """Return the page, from the side of the first member."""
        member = get_object_or_404(Member, pk=pk)
        if pk == other:
            return _choice(
                request, member, fault=gettext("Nobody plays against themselves. Choose another member.")
            )
        opponent = get_object_or_404(Member, pk=other)
        mutual = member.rating_changes.filter(opponent=opponent)
        games = profile.by_category(history(mutual))
        # The line of the other player has the key that differs in the last bit (ledger.is_black).
        theirs = RatingChange.objects.filter(pk=OuterRef("twin")).values("change")
        lines = mutual.annotate(twin=F("id").bitxor(1)).annotate(opponent_change=Subquery(theirs))
        page = page_of(lines.order_by("-occurred_at", "-id"), request.GET, GAMES_ON_A_PAGE)
        table = MutualGameTable(page.rows)
        table.page = page
        context = {
            "member": member,
            "opponent": opponent,
            "results": [
                (category, profile.results_by_colour(games[category]))
                for category in Category
                if games[category]
            ],
            "table": table,
        }
        return render(request, "ratings/head_to_head.html", context)


def _choice(request: HttpRequest, member: Member, text: str = "", fault: str = "") -> HttpResponse:
    """Return the page with matching members and frequent opponents; status 400 with a fault."""
    matching = Member.objects.matching(text).exclude(pk=member.pk)
    found = list(matching[: FOUND_AT_ONCE + 1]) if text else []
    games = profile.games_of(history(member.rating_changes.all()))
    frequent = profile.frequent_opponents(games, profile.FREQUENT_OPPONENTS)
    members = Member.everybody.in_bulk(pk for pk, _ in frequent)
    context = {
        "member": member,
        "text": text,
        "fault": fault,
        "found": found[:FOUND_AT_ONCE],
        "more": len(found) > FOUND_AT_ONCE,
        "opponents": [(members[pk], results) for pk, results in frequent],
    }
    return render(request, "ratings/against.html", context, status=400 if fault else 200)
