"""What search engines read: robots.txt, and a sitemap in bounded pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.xmlreader import AttributesImpl

from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.xmlutils import SimplerXMLGenerator
from django.views import View

from foa.addresses import address_of
from members.models import Member
from ratings.models import RatingList
from ratings.office import rooms
from ratings.office.rule_books import rule_books
from ratings.rules.time_controls import Category
from ratings.templatetags.regulations import page_of

PIECE: Final = 5_000
"""Keys of members that one piece covers. A sitemap may have 50,000 addresses."""
_PAGES: Final = (
    "ratings:home",
    "members:list",
    "ratings:games",
    "ratings:events",
    "ratings:lists",
    "ratings:records",
    "calculators:index",
    "office:register",
    "desk:calendar",
)
_SPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"


class RobotsView(View):
    """What robots may read: every public page once, not each of its filters and files."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Plain text."""
        sitemap = request.build_absolute_uri(reverse("ratings:sitemap"))
        return render(request, "robots.txt", {"sitemap": sitemap}, content_type="text/plain; charset=utf-8")


class SitemapView(View):
    """The pieces of the sitemap: how many there are follows from the highest key of a member."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Pages and lists first."""
        last = Member.objects.aggregate(last=Max("pk"))["last"] or 0
        pieces = [reverse("ratings:sitemap_pages")]
        pieces += [reverse("ratings:sitemap_members", args=[piece]) for piece in range(last // PIECE + 1)]
        return _sitemap(request, "sitemapindex", "sitemap", pieces)


class PagesSitemapView(View):
    """The pages that there is one of, the live ratings and the published lists."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """In the order of the menu."""
        return _sitemap(request, "urlset", "url", self.addresses())

    def addresses(self) -> Iterator[str]:
        """Of a list the last revision, by the address that leads to it."""
        yield from map(reverse, _PAGES)
        yield from map(page_of, rule_books().values())
        yield from (reverse(view) for room in rooms.installed() for view, _label in room.menu)
        yield from (reverse("ratings:live", args=[category.slug]) for category in Category)
        months = RatingList.objects.monthly().order_by("-month", "category")
        for category, month in dict.fromkeys(months.values_list("category", "month")):
            yield reverse("ratings:latest_list", args=[Category(category).slug, month])


class MembersSitemapView(View):
    """The profiles of members whose keys are in one piece."""

    def get(self, request: HttpRequest, piece: int) -> HttpResponse:
        """By key, so the database reads one stretch of its index; 404 without anybody."""
        keys = Member.objects.filter(pk__gte=piece * PIECE, pk__lt=(piece + 1) * PIECE).order_by("pk")
        addresses = [address_of("ratings:profile", key) for key in keys.values_list("pk", flat=True)]
        if not addresses:
            raise Http404
        return _sitemap(request, "urlset", "url", addresses)


def _sitemap(request: HttpRequest, root: str, each: str, addresses: Iterable[str]) -> HttpResponse:
    response = HttpResponse(content_type="application/xml")
    site = request.build_absolute_uri("/").rstrip("/")
    xml = SimplerXMLGenerator(response, "utf-8")
    xml.startDocument()
    xml.startElement(root, AttributesImpl({"xmlns": _SPACE}))
    for address in addresses:
        xml.startElement(each, AttributesImpl({}))
        xml.addQuickElement("loc", f"{site}{address}")
        xml.endElement(each)
    xml.endElement(root)
    xml.endDocument()
    return response
