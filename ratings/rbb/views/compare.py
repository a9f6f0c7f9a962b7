"""Comparison of members: ratings in one picture, head to head, common opponents, games against each other."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import BadRequest
from django.db.models import F, OuterRef, Subquery, prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views import View
from django.views.generic import TemplateView

from foa.text import number_in
from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.negotiated import Negotiated
from foa.web.paging import page_of
from members.models import Member
from ratings.rbb import chart_drawing, profile
from ratings.rbb.comparing import MOST, Comparison, compare, results_between
from ratings.rbb.ledger.history import history
from ratings.rbb.models import RatingChange
from ratings.rbb.searching import who_is_meant
from ratings.rbb.serializers import ComparisonSerializer
from ratings.rbb.strengths import ratings_now
from ratings.rbb.tables import MutualGameTable
from ratings.rules.time_controls import Category

FOUND_AT_ONCE: Final = 10


class CompareView(Negotiated, TemplateView):
    """The comparison of ``?members=1,2,3`` in ``?category=``; ``?member=text`` finds one more."""

    template_name = "ratings/compare.html"
    comparison: Comparison

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the members in the order of the address."""
        members = self._members()
        self.comparison = found = compare(members, self._category(), timezone.now())
        keys = [member.pk for member in members]
        form = MemberSearchForm(self.request.GET)
        matching, guessed = self._found(form, keys)
        ratings = ratings_now([who.pk for who in found.common], found.category)
        return super().get_context_data(
            members=members,
            category=found.category,
            categories=[(one, self._address(keys, one)) for one in Category],
            columns=[
                (number, member, standing, self._address([pk for pk in keys if pk != member.pk]))
                for number, (member, standing) in enumerate(found.members)
            ],
            picture=chart_drawing.comparison(found.charts, found.category) if members else None,
            by_month=chart_drawing.by_month(found.charts, found.category),
            mutual=[
                (number, member, [(other, found.mutual.get((member.pk, other.pk))) for other in members])
                for number, member in enumerate(members)
            ],
            met=bool(found.mutual),
            common=[
                (who, ratings.get(who.pk), [found.scores[pk, who.pk] for pk in keys]) for who in found.common
            ],
            text=self.request.GET.get("member", ""),
            fault="" if form.is_valid() else str(form.errors["member"][0]),
            found=[(who, self._address([*keys, who.pk])) for who in matching],
            guessed=guessed,
            full=len(members) >= MOST,
            most=MOST,
            keys=",".join(map(str, keys)),
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the members with their standings, results against each other, and common opponents."""
        return dict(ComparisonSerializer(self.comparison).data)

    def json_deprecated(self) -> Deprecation:
        """Return when it goes."""
        return Deprecation(*JSON_GOES, "arena:compare")

    def _members(self) -> list[Member]:
        """Return the members in the address; raises BadRequest for an invalid key, and for too many."""
        asked = [key for key in self.request.GET.get("members", "").split(",") if key]
        if len(asked) > MOST:
            raise BadRequest(gettext("Compare %d members or fewer.") % MOST)
        if None in map(number_in, asked):
            raise BadRequest(gettext("Give the members’ numbers, such as members=1,2."))
        known = Member.objects.in_bulk(map(int, asked))
        missing = [key for key in asked if int(key) not in known]
        if missing:
            raise BadRequest(gettext("There’s no member number %s.") % missing[0])
        return list({pk: known[pk] for pk in map(int, asked)}.values())

    def _category(self) -> Category | None:
        """Return the requested category, if any; raises BadRequest for an unknown one."""
        asked = self.request.GET.get("category")
        found = next((category for category in Category if category.slug == asked), None)
        if found is None and asked is not None:
            raise BadRequest(gettext("Choose the category rapid, blitz or bullet."))
        return found

    def _found(self, form: MemberSearchForm, keys: list[int]) -> tuple[list[Member], bool]:
        """Return matching members, or similar ones, and True if they are only similar."""
        text = form.cleaned_data.get("member", "") if form.is_valid() else ""
        others = Member.objects.exclude(pk__in=keys)
        return who_is_meant(text, FOUND_AT_ONCE, among=others) if text else ([], False)

    def _address(self, keys: list[int], category: Category | None = None) -> str:
        query = {"members": ",".join(map(str, keys))}
        if category is not None:
            query["category"] = category.slug
        return f"{reverse('ratings:compare')}?{urlencode(query, safe=',')}"


GAMES_AT_ONCE = 20
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
                request,
                member,
                fault=gettext("A member can’t play against themselves. Choose another member."),
            )
        opponent = get_object_or_404(Member, pk=other)
        mutual = member.rating_changes.filter(opponent=opponent)
        # The line of the other player has the key that differs in the last bit (ledger.is_black).
        theirs = RatingChange.objects.filter(pk=OuterRef("twin")).values("change")
        lines = mutual.annotate(twin=F("id").bitxor(1)).annotate(opponent_change=Subquery(theirs))
        page = page_of(lines.order_by("-occurred_at", "-id"), request.GET, GAMES_ON_A_PAGE)
        table = MutualGameTable(page.rows)
        table.page = page
        prefetch_related_objects([member, opponent], "ratings")
        results = results_between(mutual)
        score = sum((of_category.both.score for _category, of_category in results), Decimal())
        games = sum(of_category.both.games for _category, of_category in results)
        context = {
            "member": member,
            "opponent": opponent,
            "both": (member, opponent),
            "results": results,
            "score": (score, games - score) if results else None,
            "table": table,
        }
        return render(request, "ratings/head_to_head.html", context)


def _choice(request: HttpRequest, member: Member, text: str = "", fault: str = "") -> HttpResponse:
    """Return the page with matching members and frequent opponents; status 400 with a fault."""
    others = Member.objects.exclude(pk=member.pk)
    found, guessed = who_is_meant(text, GAMES_AT_ONCE + 1, among=others) if text else ([], False)
    games = profile.games_of(history(member.rating_changes.all()))
    frequent = profile.frequent_opponents(games, profile.FREQUENT_OPPONENTS)
    members = Member.everybody.in_bulk(pk for pk, _ in frequent)
    context = {
        "member": member,
        "text": text,
        "fault": fault,
        "found": found[:GAMES_AT_ONCE],
        "guessed": guessed,
        "more": len(found) > GAMES_AT_ONCE,
        "opponents": [(members[pk], results) for pk, results in frequent],
    }
    return render(request, "ratings/against.html", context, status=400 if fault else 200)
