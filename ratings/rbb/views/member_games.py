"""The games of a member, by month, with each month's review."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from foa.moments import beginning_of, end_of, month_of
from foa.web.days import DayInput
from foa.web.deprecation import Deprecation
from foa.web.listing import ANY
from foa.web.paging import page_of
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.member_figures import reviews
from ratings.rbb.models.fields import EventType
from ratings.rbb.models.ledger import RatingChangeQuerySet
from ratings.rbb.profile import Month
from ratings.rbb.serializers import ShortLineSerializer
from ratings.rbb.views.member_page import MemberPage, goes
from ratings.rules.time_controls import Category

GAMES_ON_A_PAGE = 50


class GamesForm(forms.Form):
    """Form for games of a category between two days (both included, UTC)."""

    category = forms.ChoiceField(
        label=_("Category"),
        required=False,
        choices=[("", ANY), *((category.slug, name) for category, name in CATEGORY_NAMES.items())],
    )
    since = forms.DateField(label=_("From"), required=False, widget=DayInput())
    until = forms.DateField(label=_("Until"), required=False, widget=DayInput())


class MemberGamesView(MemberPage):
    """The games selected by ``?since=``, ``?until=`` (days) and ``?category=``, fifty on a page."""

    template_name = "ratings/profile_games.html"
    tab = "profile_games"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the games by month; a month's review covers all its games, whatever the selection."""
        context = super().get_context_data(**kwargs)
        form = GamesForm(self.request.GET)
        games = self.object.rating_changes.of_kind(EventType.GAME).select_related("opponent")
        games = games if self.as_of is None else games.until(self.as_of)
        if form.is_valid():
            games = _chosen(games, **form.cleaned_data)
        page = page_of(games.order_by("-occurred_at", "-id"), self.request.GET, GAMES_ON_A_PAGE)
        shown = {month_of(row.occurred_at).date() for row in page.rows}
        return context | {
            "form": form,
            "chosen": form.is_valid() and any(form.cleaned_data.values()),
            "page": page,
            "months": [
                (
                    review,
                    [row for row in page.rows if month_of(row.occurred_at).date() == review.month.first_day],
                )
                for review in reviews(
                    month for month in self.figures.summary.months if month.first_day in shown
                )
            ],
        }

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """Render the page, with status 400 if the form has errors."""
        response = super().render_to_response(context, **kwargs)
        if context["form"].errors:
            response.status_code = 400
        return response

    def json_deprecated(self) -> Deprecation:
        """Return that the API has the games, and the months among the statistics."""
        return goes(self.object, "arena:member_history", "arena:member_statistics")

    def own_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return this page's games and the next page's address; the months with their figures."""
        page = context["page"]
        return {
            "games": ShortLineSerializer(page.rows, many=True).data,
            "months": [_month_json(review.month) for review, _games in context["months"]],
            "after": page.next,
            "before": page.previous,
        }


def _chosen(
    games: RatingChangeQuerySet, *, category: str, since: date | None, until: date | None
) -> RatingChangeQuerySet:
    if category:
        games = games.filter(category=Category.from_slug(category))
    if since:
        games = games.filter(occurred_at__gte=beginning_of(since))
    if until:
        games = games.filter(occurred_at__lte=end_of(until))
    return games


def _month_json(month: Month) -> dict[str, Any]:
    return {
        "month": f"{month.first_day:%Y-%m}",
        "games": month.results.games,
        "won": month.results.won,
        "drawn": month.results.drawn,
        "lost": month.results.lost,
        "changes": {category.slug: gain for category, gain in month.gains},
    }
