"""The member who is logged in."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from foa.web.negotiated import Negotiated
from members.models import Member, member_of


def member_or_404(request: HttpRequest) -> Member:
    """Return the member who is logged in. Raises Http404 for a login without a member."""
    member = member_of(request.user)
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
        self.member = member_or_404(request)
        return super().dispatch(request, *args, **kwargs)
