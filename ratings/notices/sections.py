"""News on the page “My account”: what somebody is told, and how."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from foa.account.sections import Section, section
from members.models import Member
from ratings.notices.models import Follow
from ratings.notices.services.choosing import chosen_by, feed_token


@section
def news_section(request: HttpRequest) -> Section | None:
    """For members."""
    member = Member.objects.filter(user=request.user.pk).select_related("user").first()
    if member is None or member.user is None:
        return None
    context = {
        "chosen": list(chosen_by(member).items()),
        "feed": settings.SITE_URL + reverse("notices:feed", args=[feed_token(member)]),
        "following": Follow.objects.filter(follower=member).count(),
        "email": member.user.email,
    }
    return Section(20, "news", gettext("News"), "notices/_account.html", context)
