"""The page of a member: ratings, how these moved, recent events; and closing one's own account."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from foa.account.factors import asks_password
from foa.moments import month_of
from foa.text import utc_text
from foa.web.deprecation import Deprecation
from members.models import AccountClosure, Member
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.rbb import chart_drawing
from ratings.rbb.decisions.closures import KEEP
from ratings.rbb.member_figures import RatingCard, rating_cards, reviews
from ratings.rbb.models import Game, Recalculation
from ratings.rbb.profile import Span
from ratings.rbb.serializers import ShortLineSerializer
from ratings.rbb.summaries import LATEST_LINES
from ratings.rbb.views.badges import snippets
from ratings.rbb.views.member_page import MemberPage, goes


class ProfileView(MemberPage):
    """Live and published ratings, the history as a chart, the month and the latest changes."""

    template_name = "ratings/profile.html"
    tab = "profile"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the cached figures; published ratings, names and the latest lines."""
        context = super().get_context_data(**kwargs)
        member, found = self.object, self.figures.summary
        span = next((one for one in Span if one.slug == self.request.GET.get("span")), Span.ALL)
        by_games = self.request.GET.get("axis") == "games"
        picture = chart_drawing.history(self.figures.charts[span], by_games=by_games)
        changes = member.rating_changes.with_events()
        lines = list((changes if self.as_of is None else changes.until(self.as_of))[:LATEST_LINES])
        months = [month for month in found.months if month.first_day == month_of(self.now).date()]
        return context | {
            "cards": rating_cards(member, self.figures, self.now, self.as_of),
            "picture": picture,
            "points": self._points(span),
            "span": span,
            "spans": list(Span),
            "by_games": by_games,
            "since": max(self.figures.charts[span].start, 0),
            "review": next(iter(reviews(months)), None),
            # For a past moment they would be today's.
            "formerly": list(dict.fromkeys(one.text for one in member.former_names.all())),
            "recalculated": self._recalculated(),
            "lines": lines,
            "snippets": snippets(self.request, member),
            "playing": self._playing(),
            "played": any(one.results.both.games for one in found.statistics),
        }

    def _points(self, span: Span) -> str:
        """Return where the chart's script reads its points; empty in an office without the API."""
        asked = {"span": span.slug} | ({"as_of": utc_text(self.as_of)} if self.as_of else {})
        try:
            return f"{reverse('arena:member_chart', args=(self.object.username,))}?{urlencode(asked)}"
        except NoReverseMatch:
            return ""

    def _playing(self) -> Game | None:
        """Return the member's game in progress; None on a page about the past."""
        if self.as_of is not None:
            return None
        games = Game.objects.as_shown().of(self.object.pk).in_progress()
        return next((one for one in games.order_by("-started_at") if not one.is_forgotten(self.now)), None)

    def _recalculated(self) -> Iterable[Recalculation]:
        decided = self.figures.decided
        # Django takes half a millisecond to find out that it needn't query.
        return Recalculation.objects.filter(pk__in=decided).select_related("change_set") if decided else ()

    def json_deprecated(self) -> Deprecation:
        """Return that the API has the ratings and the lines of the ledger."""
        return goes(self.object, "arena:member_ratings", "arena:member_history")

    def own_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the ratings by category, and the latest lines of the ledger."""
        return {
            "ratings": {card.standing.category.slug: _card_json(card) for card in context["cards"]},
            "latest": ShortLineSerializer(context["lines"], many=True).data,
        }


def _card_json(card: RatingCard) -> dict[str, Any]:
    standing, entry = card.standing, card.entry
    return {
        "rating": standing.rating,
        "displayed": standing.shown,
        "games": standing.games,
        "games_played": card.played,
        "live_rank": card.rank,
        "last_30_days": standing.lately,
        "peak": standing.peak,
        "k": standing.k,
        "last_change": standing.last and utc_text(standing.last.occurred_at),
        "published": entry
        and {
            "list": entry.rating_list.get_absolute_url(),
            "rating": entry.rating,
            "displayed": entry.displayed,
            "rank": entry.rank,
            "members": entry.rating_list.members,
            "change_since": card.since,
        },
    }


@login_required
@never_cache
@asks_password
def close_own_account(request: HttpRequest) -> HttpResponse:
    """Explain closing and do it: the same decision as the office's, but without affecting any game."""
    member = get_object_or_404(Member, user=request.user.pk)
    now = timezone.now()
    is_closed = AccountClosure.objects.overlapping((now, None)).filter(member=member).exists()
    if request.method == "POST" and not is_closed:
        proposal = Proposal(
            kind=kind_of("close-account"),
            parameters={
                "member": [str(member.pk)],
                "closed_from": [utc_text(now)],
                "category": [AccountClosure.Category.REQUEST],
                "games": [KEEP],
            },
            by=request.user,
        )
        try:
            decided, _effect = decide_at_once(proposal)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        else:
            if decided is not None and decided.needs_second:
                messages.success(request, gettext("We’ll confirm when your account has been closed."))
            else:
                messages.success(request, gettext("Your account is closed for rated play."))
            return redirect("account")
    return render(request, "ratings/close_own_account.html", {"is_closed": is_closed, "member": member})
