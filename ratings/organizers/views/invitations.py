"""The page behind the link of an invitation."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from members.views import NewLoginView
from ratings.organizers.models import Scope
from ratings.organizers.services.inviting import accept_as, accept_new, invitation_of


class AcceptView(NewLoginView):
    """View that gives the scope to whoever is logged in, or to a new login.

    If a login has the address of the invitation, it asks to log in first: only who got the mail sees that.
    """

    template_name = "organizers/accept.html"
    done = "organizers:mine"
    invitation: Scope

    def find_invitation(self, token: str) -> Scope | None:
        return invitation_of(token, timezone.now())

    def create_login(self, username: str, password: str) -> Any:
        return accept_new(self.invitation, username=username, password=password)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Accept for the login that is logged in; for nobody whose address has a login."""
        if request.user.is_authenticated:
            try:
                accept_as(self.invitation, request.user)
            except ValidationError as refusal:
                context = self.get_context_data(fault=refusal.messages[0])
                return self.render_to_response(context, status=409)
            return redirect(self.done)
        if self._has_login():
            return self.render_to_response(self.get_context_data(), status=409)
        return super().post(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the scope, and whether to log in first."""
        return super().get_context_data(scope=self.invitation, has_login=self._has_login(), **kwargs)

    def _has_login(self) -> bool:
        users = get_user_model().objects
        return users.filter(email__iexact=self.invitation.email, is_active=True).exists()
