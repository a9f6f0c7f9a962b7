"""The first page: find yourself, who leads, what happened this month; and the way to one's own page."""

from __future__ import annotations

from datetime import UTC, date, timedelta
from functools import partial
from typing import Any, Final

from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views import View
from django.views.generic import TemplateView

from foa.web.negotiated import Negotiated
from members.models import Member
from ratings.as_json import member_json
from ratings.models import Game, ListReview
from ratings.office.due import Dated, dates_between
from ratings.office.models import ChangeSet
from ratings.rules.time_controls import Category
from ratings.services.lists.live import live_ratings
from ratings.services.lists.report import biggest_gains
from ratings.services.personal import export_response
from ratings.tables import GameTable
from ratings.views.published import latest_lists

LEADERS: Final = 5
GAINS: Final = 3
LATEST_GAMES: Final = 8
LATEST_DECISIONS: Final = 3
DATES: Final = 3
# What is shown, and no more: to build a statement with all columns takes as long as to run it.
_OF_LEADER = ("rating", "member__name", "member__username", "member__title", "member__federation")
_OF_DECISION = ("kind", "subject", "parameters", "public_reason", "undoes", "applied_at")
_OF_GAME = (
    "ended_at",
    "result",
    "white__name",
    "white__username",
    "black__name",
    "black__username",
    "time_control__initial",
    "time_control__increment",
    "time_control__written",
    "time_control__category",
)
# The same for each request. To build them again takes as long as to run them.
_LEADERS: Final = {category: live_ratings(category).only(*_OF_LEADER)[:LEADERS] for category in Category}
_LATEST: Final = (
    Game.objects.counting().with_names().only(*_OF_GAME).order_by("-ended_at", "-pk")[:LATEST_GAMES]
)


class HomeView(Negotiated, TemplateView):
    """A search for members, the leaders of each category, the news of the month, the latest rated games."""

    template_name = "ratings/home.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Leaders by category, lists with their biggest gains, decisions, dates, the latest games."""
        leaders = {category: list(first.all()) for category, first in _LEADERS.items()}
        games = list(_LATEST.all())
        lists = latest_lists()
        today = timezone.now().astimezone(UTC).date()
        newest = lists[0].month if lists else None
        reviewed = set(ListReview.objects.filter(pk__in=lists).values_list("pk", flat=True)) if lists else ()
        return super().get_context_data(
            leaders=leaders,
            lists=lists,
            # The part about lists is kept by this. Only where it isn't yet, the template asks for gains.
            published=[(one.pk, one.checksum, one.pk in reviewed) for one in lists],
            gains=partial(biggest_gains, lists, each=GAINS),
            month=newest and (newest - timedelta(days=1)).replace(day=1),
            decisions=ChangeSet.objects.public().only(*_OF_DECISION)[:LATEST_DECISIONS],
            # They are those of the day, so the template keeps them by it.
            today=today,
            dates=partial(next_dates, today),
            table=GameTable(games, exclude=("status",)),
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Leaders by category, the latest lists, the next dates."""
        return {
            "leaders": {
                category.slug: [
                    {**member_json(rating.member), "rating": rating.displayed} for rating in ratings
                ]
                for category, ratings in context["leaders"].items()
            },
            "lists": [
                {
                    "category": one.category.slug,
                    "month": f"{one.month:%Y-%m}",
                    "url": one.get_absolute_url(),
                    "members": one.members,
                    "games": one.period_games,
                }
                for one in context["lists"]
            ],
            "dates": [
                {"day": one.day.isoformat(), "text": one.text, "url": one.link} for one in context["dates"]()
            ],
        }


def next_dates(today: date) -> list[Dated]:
    """The next dates of the calendar, of a quarter at most."""
    return dates_between(today, today + timedelta(days=92))[:DATES]


class MyDataView(LoginRequiredMixin, View):
    """All that is stored of the member with this login, as a file; not what staff wrote for each other."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return export_response(get_object_or_404(Member, user=request.user.pk), for_staff=False)


class MyRatingsView(LoginRequiredMixin, TemplateView):
    """Leads a login to the page of its member; one without a member is told what to do."""

    template_name = "ratings/mine.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        member = Member.objects.filter(user=request.user.pk).first()
        if member is not None:
            return HttpResponseRedirect(member.get_absolute_url())
        return super().get(request, *args, **kwargs)
