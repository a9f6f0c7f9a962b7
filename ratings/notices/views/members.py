"""The member who is logged in."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from foa.web.negotiated import Negotiated
from members.models import Member


def member_of(request: HttpRequest) -> Member:
    """Return the member who is logged in. Raises Http404 for a login without a member."""
    member = Member.objects.filter(user=request.user.pk).first()
    if member is None:
        raise Http404(gettext("Your login belongs to no member. Ask the office to link it to your name."))
    return member


@method_decorator(never_cache, name="dispatch")
class OwnPage(LoginRequiredMixin, Negotiated):
    """A private page of the member who is logged in, never cached; also as JSON."""

    member: Member

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Require a login."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        self.member = member_of(request)
        return super().dispatch(request, *args, **kwargs)
