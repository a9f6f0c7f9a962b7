"""Passkeys (WebAuthn), as django-otp-webauthn has them, on the domain that the browser shows."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.request import split_domain_port
from django.urls import path
from django.views.i18n import JavaScriptCatalog
from django_otp_webauthn import views
from django_otp_webauthn.exceptions import NotVerified
from django_otp_webauthn.helpers import WebAuthnHelper

from foa.account.factors import added, is_recent, passed
from foa.account.sessions import browser


def domain(request: HttpRequest) -> str:
    """The domain that a passkey is bound to: the host, which ALLOWED_HOSTS has, without its port."""
    return split_domain_port(request.get_host())[0]


class PasskeyHelper(WebAuthnHelper):
    """What the site tells a browser of itself, and asks of its answer."""

    def get_allowed_origins(self) -> list[str]:
        """Where the answer may come from: this site alone."""
        return [f"{self.request.scheme}://{self.request.get_host()}"]

    def create_credential(self, *args: Any, **kwargs: Any) -> Any:
        """A new passkey, named after the browser it was made with."""
        passkey = super().create_credential(*args, **kwargs)
        passkey.name = browser(self.request.META.get("HTTP_USER_AGENT", ""))
        return passkey

    def register_complete(self, *args: Any, **kwargs: Any) -> Any:
        """Store a new passkey."""
        passkey = super().register_complete(*args, **kwargs)
        added(self.request, passkey)
        return passkey


class _PasswordFirst:
    """Nobody adds a passkey to a session that was left open."""

    request: HttpRequest

    def check_can_register(self) -> None:
        """Raises NotVerified if the password was not given lately."""
        if not is_recent(self.request):
            raise NotVerified


class BeginView(_PasswordFirst, views.BeginCredentialRegistrationView):
    """What a browser needs to make a passkey."""


class CompleteView(_PasswordFirst, views.CompleteCredentialRegistrationView):
    """Stores what the browser made."""


class LoginView(views.CompleteCredentialAuthenticationView):
    """Logs in with a passkey, or takes the second step with it."""

    def complete_auth(self, device: Any) -> None:
        """Log in where nobody is logged in yet; the passkey is both factors."""
        super().complete_auth(device)
        passed(self.request, device)


urlpatterns = (
    [
        path("registration/begin/", BeginView.as_view(), name="credential-registration-begin"),
        path("registration/complete/", CompleteView.as_view(), name="credential-registration-complete"),
        path(
            "authentication/begin/",
            views.BeginCredentialAuthenticationView.as_view(),
            name="credential-authentication-begin",
        ),
        path("authentication/complete/", LoginView.as_view(), name="credential-authentication-complete"),
        path("words/", JavaScriptCatalog.as_view(packages=["django_otp_webauthn"]), name="js-i18n-catalog"),
    ],
    "otp_webauthn",
)
