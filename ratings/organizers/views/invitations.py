"""The page behind the link of an invitation."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model, login
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from foa.web.typed import FormView
from members.forms import NewLoginForm
from ratings.organizers.models import Scope
from ratings.organizers.services.inviting import accept_as, accept_new, invitation_of


@method_decorator(never_cache, name="dispatch")
class AcceptView(FormView[NewLoginForm]):
    """View that gives the scope to whoever is logged in, or to a new login. Status 410 for an expired link.

    If a login has the address of the invitation, it asks to log in first: only who got the mail sees that.
    """

    form_class = NewLoginForm
    template_name = "organizers/accept.html"
    invitation: Scope

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer 410 without an open invitation."""
        found = invitation_of(kwargs["token"], timezone.now())
        if found is None:
            return render(request, "account/invitation_gone.html", status=410)
        self.invitation = found
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Accept for the login that is logged in; for nobody whose address has a login."""
        if request.user.is_authenticated:
            try:
                accept_as(self.invitation, request.user)
            except ValidationError as refusal:
                context = self.get_context_data(fault=refusal.messages[0])
                return self.render_to_response(context, status=409)
            return redirect("organizers:mine")
        if self._has_login():
            return self.render_to_response(self.get_context_data(), status=409)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: NewLoginForm) -> HttpResponse:
        """Create the login, log in and lead to what it may report."""
        username, password = form.cleaned_data["username"], form.cleaned_data["password"]
        try:
            user = accept_new(self.invitation, username=username, password=password)
        except ValidationError as refusal:
            form.add_error(None, refusal)
            return self.form_invalid(form)
        login(self.request, user, "django.contrib.auth.backends.ModelBackend")
        return redirect("organizers:mine")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the scope, and whether to log in first."""
        return super().get_context_data(scope=self.invitation, has_login=self._has_login(), **kwargs)

    def _has_login(self) -> bool:
        users = get_user_model().objects
        return users.filter(email__iexact=self.invitation.email, is_active=True).exists()
