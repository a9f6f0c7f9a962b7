"""The first page: who leads, and what was played last; and the way of a member to his own page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.decorators import method_decorator
from django.views.generic import TemplateView

from foa.web.caching import cached_for_visitors
from members.models import Member
from ratings.models import Game, Rating
from ratings.rules.time_controls import Category
from ratings.services.lists.live import live_ratings
from ratings.tables import GameTable
from ratings.views.published import latest_lists

LEADERS = 10
LATEST_GAMES = 10
# What is shown, and no more: to build a statement with all columns takes as long as to run it.
_OF_LEADER = ("rating", "member__name", "member__username", "member__title")
_OF_GAME = (
    "ended_at",
    "result",
    "white__name",
    "white__username",
    "black__name",
    "black__username",
    "time_control__initial",
    "time_control__increment",
    "time_control__category",
)


@method_decorator(cached_for_visitors, name="dispatch")
class HomeView(TemplateView):
    """The leaders of each category, the latest lists, the latest rated games, and a search for members."""

    template_name = "ratings/home.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Leaders by category, the lists, and the table of the latest games."""
        leaders: dict[Category, list[Rating]] = {
            category: list(live_ratings(category).only(*_OF_LEADER)[:LEADERS]) for category in Category
        }
        latest = Game.objects.counting().with_names().only(*_OF_GAME).order_by("-ended_at", "-pk")
        games = list(latest[:LATEST_GAMES])
        lists = latest_lists()
        return super().get_context_data(
            leaders=leaders,
            lists=lists,
            published=[(one.pk, one.checksum) for one in lists],
            table=GameTable(games, exclude=("status",)),
            **kwargs,
        )


class MyRatingsView(LoginRequiredMixin, TemplateView):
    """Leads a login to the page of its member; one without a member is told what to do."""

    template_name = "ratings/mine.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        member = Member.objects.filter(user=request.user.pk).first()
        if member is not None:
            return HttpResponseRedirect(member.get_absolute_url())
        return super().get(request, *args, **kwargs)
