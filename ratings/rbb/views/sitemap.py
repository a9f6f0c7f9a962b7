"""Robots.txt and the sitemap, for search engines."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views import View

from members.models import Member
from ratings.office import rooms
from ratings.office.rule_books import rule_books
from ratings.rbb.models import RatingList
from ratings.rbb.templatetags.regulations import page_of
from ratings.rules.time_controls import Category

_PAGES: Final = (
    "ratings:home",
    "ratings:leaders",
    "ratings:members",
    "ratings:games",
    "ratings:events",
    "ratings:lists",
    "ratings:records",
    "office:register",
)


class RobotsView(View):
    """The rules for robots: every public page once, without its filters and files."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Return plain text."""
        sitemap = request.build_absolute_uri(reverse("ratings:sitemap"))
        return render(request, "robots.txt", {"sitemap": sitemap}, content_type="text/plain; charset=utf-8")


class PagesSitemap(Sitemap[str]):
    """The pages that exist once, in menu order; live ratings; the newest revision of each list."""

    def items(self) -> list[str]:
        """Return addresses without host."""
        months = RatingList.objects.monthly().order_by("-month", "category")
        lists = dict.fromkeys(months.values_list("category", "month"))
        return [
            *map(reverse, _PAGES),
            *map(page_of, rule_books().values()),
            *(reverse(view) for room in rooms.installed() for view, _label in (*room.menu, *room.footer)),
            *(reverse("ratings:live", args=[category.slug]) for category in Category),
            *(reverse("ratings:latest_list", args=[Category(one).slug, month]) for one, month in lists),
        ]

    def location(self, item: str) -> str:
        """Return the address unchanged."""
        return item


class MembersSitemap(Sitemap[Member]):
    """The profiles of members by key."""

    limit = 5_000

    def items(self) -> QuerySet[Member]:
        """Return all members, read page by page."""
        return Member.objects.order_by("pk")


SITEMAPS: Final[dict[str, type[Sitemap[Any]]]] = {"pages": PagesSitemap, "members": MembersSitemap}
