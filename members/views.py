"""Pages on which members accept an invitation and choose what others see of them."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.generic import FormView

from foa.account.arena import Account, enter, waiting_account
from foa.web.posted import only_posted
from members.forms import NewLoginForm
from members.inviting import accept, invitation_of
from members.models import Invitation, Member
from members.usernames import key_of


@login_required
@only_posted("account", "#privacy")
def choose_privacy(request: HttpRequest) -> HttpResponse:
    """Store whether the member hides birth year and sex. Status 404 for a login without a member."""
    member = get_object_or_404(Member, user=request.user.pk)
    Member.objects.filter(pk=member.pk).update(hides_birth="hides_birth" in request.POST)
    messages.success(request, gettext("Your choice has been saved."))
    return redirect(f"{reverse('account')}#privacy")


@method_decorator(never_cache, name="dispatch")
class NewLoginView(FormView[NewLoginForm]):
    """View behind the link of an invitation: it creates a login. Status 410 for an expired link."""

    form_class = NewLoginForm
    done: str
    """Name of the page that follows."""
    invitation: Any

    def find_invitation(self, token: str) -> Any:
        """Return the pending invitation of a token, or None."""
        raise NotImplementedError

    def create_login(self, username: str, password: str) -> Any:
        """Accept the invitation; return the new login. Raises ValidationError if it can't be done."""
        raise NotImplementedError

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer 410 without a pending invitation."""
        self.invitation = self.find_invitation(kwargs["token"])
        if self.invitation is None:
            return render(request, "account/invitation_gone.html", status=410)
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: NewLoginForm) -> HttpResponse:
        """Create the login, log in and redirect."""
        try:
            user = self.create_login(form.cleaned_data["username"], form.cleaned_data["password"])
        except ValidationError as refusal:
            form.add_error(None, refusal)
            return self.form_invalid(form)
        login(self.request, user, "django.contrib.auth.backends.ModelBackend")
        return redirect(self.done)


class AcceptInvitationView(NewLoginView):
    """View that creates the login of an invited member and logs them in."""

    template_name = "account/accept.html"
    done = "account"
    invitation: Invitation

    def find_invitation(self, token: str) -> Invitation | None:
        return invitation_of(token, timezone.now())

    def create_login(self, username: str, password: str) -> Any:
        return accept(self.invitation, username=username, password=password)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Create a login that is linked with the arena if that button was pressed, or one with a password."""
        if "arena" not in request.POST:
            return super().post(request, *args, **kwargs)
        account, username = self._account, self.invitation.member.username
        if account is None:
            return redirect(request.path)
        try:
            user = accept(self.invitation, username=username, password=None, account=account)
        except ValidationError as refusal:
            messages.error(request, " ".join(refusal.messages))
            return redirect(request.path)
        enter(request, user)
        return redirect(self.done)

    @property
    def _account(self) -> Account | None:
        """Return the account at the arena with which somebody came, if it has the name of the member."""
        account = waiting_account(self.request)
        if account is None or key_of(account.username) != key_of(self.invitation.member.username):
            return None
        return account

    def get_form_kwargs(self) -> dict[str, Any]:
        """Suggest the username of the member."""
        return {**super().get_form_kwargs(), "username": self.invitation.member.username}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the member, and the account at the arena with which somebody came."""
        came = waiting_account(self.request)
        added = {"arena": settings.ARENA_OIDC_URL, "account": self._account, "other": came}
        return super().get_context_data(member=self.invitation.member, **added, **kwargs)
