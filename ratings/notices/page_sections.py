"""Sections on other pages: the follow button, the number in the header, and a part of “My account”."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from foa.account.sections import Section, section
from members.models import Member, member_of
from ratings.notices.models import Follow, Notice
from ratings.notices.services.choosing import chosen_by, feed_token
from ratings.office.page_sections import Page, PageSection, adds_to


@adds_to(Page.HEAD_OF_PROFILE)
def follow_part(member: Member, user: Any) -> PageSection | None:
    """Return the follow button for another member who is logged in; nobody can follow an erased member."""
    follower = member_of(user)
    if follower is None or follower == member or member.withdrawn_at is not None:
        return None
    follows = Follow.objects.filter(follower=follower, followed=member).exists()
    return PageSection("notices/_follow.html", {"member": member, "follows": follows})


@adds_to(Page.HEADER)
def unread_part(user: Any) -> PageSection | None:
    """Return the number of unread notices (up to 100) for the header, or None if there are none."""
    number = Notice.objects.unread_by(user).order_by()[:100].count()
    return PageSection("notices/_unread.html", {"number": number}) if number else None


@section
def news_section(request: HttpRequest) -> Section | None:
    """Return the section of “My account” for members."""
    member = member_of(request.user)
    if member is None or member.user is None:
        return None
    context = {
        "chosen": list(chosen_by(member).items()),
        "feed": settings.SITE_URL + reverse("notices:feed", args=[feed_token(member)]),
        "following": Follow.objects.filter(follower=member).count(),
        "email": member.user.email,
    }
    return Section(20, "news", gettext("News"), "notices/_account.html", context)
