"""Ratings for other sites: an SVG badge, and a card that their pages may frame."""

from __future__ import annotations

import unicodedata
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.decorators import method_decorator
from django.utils.html import escape
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.decorators.clickjacking import xframe_options_exempt

from members.models import Member
from ratings.rbb.labels import CATEGORY_NAMES, CATEGORY_WORDS
from ratings.rules.time_controls import Category

SECONDS: Final = 300
"""Seconds for which other sites may cache a badge or a card."""

_LONGEST: Final = 40
"""Maximum number of a username's characters on a badge."""

_NARROW: Final = frozenset("fijlrtI.,:;|!'()[]/- ·")
_BROAD: Final = frozenset("mwMW%@&")
_PADDING: Final = 12


Figures = list[tuple[Category, int | None]]
"""Categories with their displayed ratings, None while unrated."""


class Snippet(NamedTuple):
    """A text to paste into another site."""

    key: str
    label: Any
    code: str


class _ForOthers(View):
    """A member's ratings for other sites: in English, the same for everybody.

    ``?category=blitz`` shows one category; by default all three are shown.
    """

    template: str
    media_type: str

    def get(self, request: HttpRequest, username: str) -> HttpResponse:
        """Redirect other spellings and former usernames; 404 for an unknown one."""
        member = Member.objects.called(username)
        if member is None:
            raise Http404(gettext("There’s no member called “%(username)s”.") % {"username": username[:150]})
        if member.username != username:
            match: Any = request.resolver_match
            address, query = reverse(match.view_name, args=[member.username]), request.META["QUERY_STRING"]
            # Temporary: a member may take a former username again.
            return HttpResponseRedirect(f"{address}?{query}" if query else address)
        shown = {row.category: row.displayed for row in member.ratings.all()}
        figures = [(one, shown.get(one)) for one in _categories(request)]
        with override("en"):
            content = render_to_string(self.template, self.context(request, member, figures))
        response = HttpResponse(content, content_type=self.media_type, headers={"Content-Language": "en"})
        patch_cache_control(response, public=True, max_age=SECONDS)
        return response

    def context(self, request: HttpRequest, member: Member, figures: Figures) -> dict[str, Any]:
        """Return the template's context."""
        raise NotImplementedError


class BadgeView(_ForOthers):
    """A small picture of username and ratings."""

    template = "ratings/badge.svg"
    media_type = "image/svg+xml"

    def context(self, request: HttpRequest, member: Member, figures: Figures) -> dict[str, Any]:
        """Return both halves with their widths."""
        name = member.username
        name = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
        unrated = gettext("unrated") if len(figures) == 1 else "–"
        words = " · ".join(f"{CATEGORY_WORDS[one]} {rating or unrated}" for one, rating in figures)
        left, right = _width(name), _width(words)
        return {
            "username": member.username,
            "name": name,
            "words": words,
            "left": left,
            "right": right,
            "name_width": left - _PADDING,
            "words_width": right - _PADDING,
            "width": left + right,
            "name_middle": left / 2,
            "words_middle": left + right / 2,
        }


@method_decorator(xframe_options_exempt, name="dispatch")
@method_decorator(csp_replace({"frame-ancestors": ["*"]}), name="dispatch")
class EmbeddedCardView(_ForOthers):
    """Name and ratings as a separate page, the only one that other sites may frame."""

    template = "ratings/embedded_card.html"
    media_type = "text/html; charset=utf-8"

    def context(self, request: HttpRequest, member: Member, figures: Figures) -> dict[str, Any]:
        """Return a context without anything about the visitor."""
        return {
            "member": member,
            "figures": [(CATEGORY_NAMES[one], rating) for one, rating in figures],
            "profile": request.build_absolute_uri(member.get_absolute_url()),
        }


def snippets(request: HttpRequest, member: Member) -> list[Snippet]:
    """Return what other sites' owners can copy: the badge as HTML and Markdown, and the card."""
    profile, badge, card = (
        request.build_absolute_uri(address)
        for address in (
            member.get_absolute_url(),
            reverse("ratings:badge", args=[member.username]),
            reverse("ratings:embedded_card", args=[member.username]),
        )
    )
    alt = gettext("Ratings of %(username)s") % {"username": member.username}
    escaped = "".join(f"\\{char}" if char in "\\[]*_`<>&" else char for char in alt)
    # Plain text, which the page escapes again.
    badge_code = f'<a href="{escape(profile)}"><img src="{escape(badge)}" alt="{escape(alt)}"></a>'
    size = 'width="320" height="150" loading="lazy"'
    card_code = f'<iframe src="{escape(card)}" title="{escape(alt)}" {size}></iframe>'
    return [
        Snippet("badge-html", _("Badge, HTML"), badge_code),
        Snippet("badge-markdown", _("Badge, Markdown"), f"[![{escaped}]({_in_markdown(badge)})]({profile})"),
        Snippet("card-html", _("Card, HTML"), card_code),
    ]


def _in_markdown(address: str) -> str:
    """Escape the characters that end an address in Markdown."""
    return "".join(quote(char, safe="") if char in "()*_" else char for char in address)


def _categories(request: HttpRequest) -> list[Category]:
    slug = request.GET.get("category")
    if slug is None:
        return list(Category)
    if slug not in [one.slug for one in Category]:
        raise Http404(gettext("The categories are rapid, blitz and bullet."))
    return [Category.from_slug(slug)]


def _width(text: str) -> int:
    """Estimate the width of a text of 11 pixels with its margins; the picture fits the text into it."""
    width = 0.0
    for char in text:
        if unicodedata.combining(char):
            continue
        wide = unicodedata.east_asian_width(char) in "WF"
        width += 11 if wide else 3.8 if char in _NARROW else 9 if char in _BROAD or char.isupper() else 6.6
    return round(width) + _PADDING
