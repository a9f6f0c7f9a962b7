"""A member's news as an Atom feed, at an address that only they know."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext

from foa.account.language import language_of
from ratings.notices.models import Notice
from ratings.notices.services.choosing import who_reads
from ratings.notices.services.wording import items

_LATEST: Final = 50


def feed(request: HttpRequest, token: str) -> HttpResponse:
    """Return the latest news, in the language of the member's login; 404 for an unknown address."""
    member = who_reads(token)
    if member is None or member.user_id is None:
        raise Http404(gettext("This feed doesn't exist, or has a new address."))
    latest = Notice.objects.filter(member=member, feed=True).order_by("-pk")[:_LATEST]
    site = settings.SITE_URL
    language = language_of(member.user)
    with translation.override(language):
        atom = Atom1Feed(
            title=gettext("News from the rating office for %(member)s") % {"member": member},
            link=site + reverse("notices:news"),
            description="",
            feed_url=site + request.path,
            language=language,
        )
        for one in items(latest):
            atom.add_item(
                title=f"{one.title}: {one.figure} {one.change}".rstrip() if one.figure else one.title,
                link=site + one.address,
                description=one.text,
                unique_id=f"tag:{urlsplit(site).hostname},2026:notice/{one.key}",
                pubdate=one.at,
                updateddate=one.at,
            )
    headers = {"Cache-Control": "private, max-age=300", "X-Robots-Tag": "noindex"}
    return HttpResponse(atom.writeString("utf-8"), content_type=atom.content_type, headers=headers)
