"""Pictures of a profile and of a published list, for those who share their links."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.formats import date_format
from django.utils.translation import override
from django.views import View

from foa.web.picture import Card, drawn
from members.flags import name_of
from members.models import Member
from ratings.labels import CATEGORY_NAMES
from ratings.rules.time_controls import Category
from ratings.views.published import published_list

_SECONDS: Final = 3600
"""So long do others keep a picture, and we what we have drawn."""


def mark_of(what: str) -> str:
    """Return what tells a text from every other."""
    return blake2b(what.encode(), digest_size=16).hexdigest()


def shared(
    request: HttpRequest, what: str, media_type: str, content: Callable[[], bytes], seconds: int
) -> HttpResponse:
    """Answer with content that is the same for everybody; 304 without making it if the reader has it.

    ``what``: a text that is another one when the content is. ``seconds``: for which others may keep it.
    """
    etag = f'"{mark_of(what)}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(content(), content_type=media_type, headers={"ETag": etag})
    patch_cache_control(response, public=True, max_age=seconds)
    return response


class PictureView(View):
    """A picture in English, whatever the reader's language: one address, one picture."""

    def get(self, request: HttpRequest, **place: Any) -> HttpResponse:
        """The picture; 304 without drawing it where the reader has the one of today."""
        with override("en"):
            card = self.card(**place)

        def content() -> bytes:
            found: Any = cache.get_or_set(f"picture:{mark_of(repr(card))}", lambda: drawn(card), _SECONDS)
            return bytes(found)

        return shared(request, repr(card), "image/png", content, _SECONDS)

    def card(self, **place: Any) -> Card:
        """What the picture says; raises Http404."""
        raise NotImplementedError


class ProfilePictureView(PictureView):
    """A member: name, title, federation, the live ratings."""

    def card(self, **place: Any) -> Card:
        """Unrated in a category: a dash."""
        member = get_object_or_404(Member.objects.prefetch_related("ratings"), **place)
        shown = {row.category: row.displayed for row in member.ratings.all()}
        return Card(
            heading=str(member),
            about=name_of(member.federation) if member.federation else "",
            badge=member.title,
            figures=[(str(CATEGORY_NAMES[one]), str(shown.get(one) or "–")) for one in Category],
        )


class ListPictureView(PictureView):
    """A published list: its month, its size, and its highest rating."""

    def card(self, **place: Any) -> Card:
        """Of an empty list: a dash."""
        published = published_list(**place)
        first = published.entries.order_by("position").first()
        month = date_format(place["month"], "YEAR_MONTH_FORMAT")
        return Card(
            heading=f"{CATEGORY_NAMES[published.category]}, {month}",
            about="Published rating list",
            badge="",
            figures=[
                ("Members", f"{published.members:,}"),
                ("Games", f"{published.period_games:,}"),
                ("Highest", str(first.displayed if first else "–")),
            ],
        )
