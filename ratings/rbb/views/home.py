"""The first page: current games, why a rating changed, leaders, and links to the visitor's own page."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views import View
from django.views.generic import TemplateView

from foa.web.deprecation import JSON_GOES, Deprecation
from foa.web.negotiated import Negotiated
from members.models import Member, member_of
from ratings.formats.main_line import Position, main_line
from ratings.office.due import Dated, dates_between
from ratings.office.models import ChangeSet
from ratings.rbb.explanation import explain
from ratings.rbb.last_visit import News, last_visit, news_for
from ratings.rbb.lists.as_of import live_ratings
from ratings.rbb.lists.report import biggest_gains
from ratings.rbb.models import Game, ListReview, RatingChange, RatingList
from ratings.rbb.personal import export_response
from ratings.rbb.serializers import PLAYER
from ratings.rbb.strengths import Both, strengths_of
from ratings.rbb.views.published import latest_lists
from ratings.rules.rbb.rating import Reason
from ratings.rules.rbb.variants import STANDARD
from ratings.rules.time_controls import Category

LEADERS: Final = 5
GAINS: Final = 2
BOARDS: Final = 3
DATES: Final = 3
# Only the columns shown: building a statement with all columns takes as long as running it.
_OF_LEADER = ("rating", "member__name", "member__username", "member__title", "member__federation")
_OF_DECISION = ("kind", "subject", "parameters", "public_reason", "public_text", "undoes", "applied_at")
# Identical for every request. Building them again takes as long as running them.
_LEADERS: Final = {category: live_ratings(category).only(*_OF_LEADER)[:LEADERS] for category in Category}
_GAMES: Final = Game.objects.as_shown("pgn").filter(variant=STANDARD, voided_at=None)
_PLAYED: Final = _GAMES.in_progress().exclude(pgn="").order_by("-started_at")[: 3 * BOARDS]
_ENDED: Final = _GAMES.counting().order_by("-ended_at", "-pk")[: 3 * BOARDS]
_EXAMPLES: Final = (
    RatingChange.objects.filter(reason=Reason.RATED, change__gt=0, game__isnull=False)
    .select_related("member", "opponent")
    .order_by("-occurred_at", "-id")
)


class Board(NamedTuple):
    """A game with a position to show; ``is_live`` while it is in progress.

    ``strengths``: the players' ratings, and what a game that has ended changed.
    """

    game: Game
    shown: Position
    is_live: bool
    strengths: Both | None


class HomeView(Negotiated, TemplateView):
    """A search for members, games on boards, the latest gain with its reason, leaders, lists, a decision."""

    template_name = "ratings/home.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the page's parts, first those about the logged-in member."""
        leaders = {category: list(first.all()) for category, first in _LEADERS.items()}
        lists = latest_lists()
        now = timezone.now()
        today = now.astimezone(UTC).date()
        newest = lists[0].month if lists else None
        reviewed = set(ListReview.objects.filter(pk__in=lists).values_list("pk", flat=True)) if lists else ()
        example = _EXAMPLES.first()
        return super().get_context_data(
            mine=self._mine(now, lists),
            example=example,
            explanation=example and explain(example),
            boards=boards(now),
            leaders=leaders,
            lists=lists,
            # The fragment about lists is cached by this. Only if it isn't cached yet does the template ask
            # for gains.
            published=[(one.pk, one.checksum, one.pk in reviewed) for one in lists],
            gains=partial(biggest_gains, lists, each=GAINS),
            month=newest and (newest - timedelta(days=1)).replace(day=1),
            decision=ChangeSet.objects.public().only(*_OF_DECISION).first(),
            dates=partial(next_dates, today),
            **kwargs,
        )

    def _mine(self, now: datetime, lists: Iterable[RatingList]) -> News | None:
        """Return what has happened to the logged-in member's ratings since their last visit."""
        member = member_of(self.request.user)
        if member is None:
            return None
        is_polling = "HX-Request" in self.request.headers
        since = last_visit(self.request.session, now, is_polling=is_polling)
        return news_for(member, now, since, lists)

    def json_deprecated(self) -> Deprecation:
        """Return that the API has the leaders, the lists and the dates."""
        return Deprecation(
            *JSON_GOES,
            "arena:leaders",
            {"category": "rapid", "group": "top"},
            [("arena:published_lists", {}), ("arena:calendar", {})],
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return leaders by category, the latest lists and the next dates."""
        return {
            "leaders": {
                category.slug: [
                    {**PLAYER.to_representation(rating.member), "rating": rating.displayed}
                    for rating in ratings
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


def boards(now: datetime) -> list[Board]:
    """Return games in progress, latest first, then the latest to end, with their positions."""
    found = [(game, True) for game in _PLAYED.all() if not game.is_forgotten(now)][:BOARDS]
    if len(found) < BOARDS:
        found += [(game, False) for game in _ENDED.all() if game.pgn][: BOARDS - len(found)]
    lines = [(game, main_line(game.pgn), is_live) for game, is_live in found]
    strengths = strengths_of([game for game, line, _is_live in lines if line])
    return [
        Board(game, line.after(len(line.plies)), is_live, strengths.get(game.pk))
        for game, line, is_live in lines
        if line
    ]


def next_dates(today: date) -> list[Dated]:
    """Return the next dates of the calendar, within 92 days."""
    return dates_between(today, today + timedelta(days=92))[:DATES]


class MyDataView(LoginRequiredMixin, View):
    """All data stored about the logged-in member, as a file, without staff's internal notes."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return export_response(get_object_or_404(Member, user=request.user.pk), for_staff=False)


class MyRatingsView(LoginRequiredMixin, TemplateView):
    """A redirect from a login to its member's page; a login without a member gets instructions."""

    template_name = "ratings/mine.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        member = member_of(request.user)
        if member is not None:
            return HttpResponseRedirect(member.get_absolute_url())
        return super().get(request, *args, **kwargs)
