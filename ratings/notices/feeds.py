"""The public Atom feed (RFC 4287): what the page of news says."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.notices.services.public import Told, public_news


class PublicFeed(Feed[Told, None]):
    """Lists, months and decisions, in the reader's language. Addresses begin with SITE_URL."""

    feed_type = Atom1Feed
    subtitle = _("New rating lists, monthly reviews and our decisions.")

    def title(self) -> str:
        return gettext("The rating office of %(arena_name)s") % {"arena_name": settings.ARENA_NAME}

    author_name = title

    def link(self) -> str:
        return settings.SITE_URL + reverse("notices:public")

    def feed_url(self) -> str:
        return settings.SITE_URL + reverse("notices:atom")

    def items(self) -> list[Told]:
        return public_news()

    def item_title(self, item: Told) -> str:
        return item.title

    def item_description(self, item: Told) -> str:
        return item.why

    def item_link(self, item: Told) -> str:
        return settings.SITE_URL + item.address

    def item_guid(self, item: Told) -> str:
        """Return an id that stays if the site is served by another protocol (RFC 4151)."""
        return f"tag:{urlsplit(settings.SITE_URL).hostname},2026:{item.address}"

    def item_pubdate(self, item: Told) -> datetime:
        return item.at

    item_updateddate = item_pubdate
