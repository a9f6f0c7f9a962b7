"""The list of members somebody follows, and the button that follows or stops."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST
from django.views.generic import TemplateView

from members.models import Member
from ratings.notices.services.choosing import follow, unfollow
from ratings.notices.views.members import OwnPage, member_or_404
from ratings.rules.time_controls import Category


class FollowingView(OwnPage, TemplateView):
    """The members whom somebody follows, by name, with their live ratings."""

    template_name = "notices/following.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the members and ratings, in two queries however many there are."""
        followed = Member.objects.filter(followers__follower=self.member)
        rows = []
        for one in followed.prefetch_related("ratings").order_by("name", "username", "pk"):
            shown = {rating.category: rating.displayed for rating in one.ratings.all()}
            rows.append((one, [shown.get(category) for category in Category]))
        return super().get_context_data(rows=rows, categories=list(Category), **kwargs)

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        slugs = [category.slug for category in Category]
        return {
            "following": [
                {
                    "username": one.username,
                    "name": one.name,
                    "url": one.get_absolute_url(),
                    "ratings": dict(zip(slugs, shown, strict=True)),
                }
                for one, shown in context["rows"]
            ]
        }


@login_required
@require_POST
def follow_member(request: HttpRequest, pk: int) -> HttpResponse:
    """Follow a member, or stop following them if ``stop`` is posted. Redirect to where the button was."""
    member = member_or_404(request)
    if "stop" in request.POST:
        unfollow(member, pk)
        return redirect("notices:following")
    followed = get_object_or_404(Member, pk=pk, withdrawn_at=None)
    try:
        follow(member, followed, at=timezone.now())
    except ValidationError as refusal:
        messages.error(request, " ".join(refusal.messages))
        return redirect("notices:following")
    messages.success(request, gettext("You follow %(member)s.") % {"member": followed})
    return redirect("notices:following")
