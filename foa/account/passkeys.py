"""Passkeys (WebAuthn) with django-otp-webauthn, on the domain that the browser shows."""

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
    """Return the domain that a passkey is bound to: the host, checked by ALLOWED_HOSTS, without its port."""
    return split_domain_port(request.get_host())[0]


class PasskeyHelper(WebAuthnHelper):
    """The library's helper, adapted to this site."""

    def get_allowed_origins(self) -> list[str]:
        """Return this site as the only allowed origin."""
        return [f"{self.request.scheme}://{self.request.get_host()}"]

    def create_credential(self, *args: Any, **kwargs: Any) -> Any:
        """Return a new passkey, named after the browser it was made with."""
        passkey = super().create_credential(*args, **kwargs)
        passkey.name = browser(self.request.META.get("HTTP_USER_AGENT", ""))
        return passkey

    def register_complete(self, *args: Any, **kwargs: Any) -> Any:
        """Store a new passkey, and record it as an added factor."""
        passkey = super().register_complete(*args, **kwargs)
        added(self.request, passkey)
        return passkey


class _PasswordFirst:
    """Mixin that requires a recent password, so that nobody adds a passkey in a session left open."""

    request: HttpRequest

    def check_can_register(self) -> None:
        """Raise NotVerified if the password wasn't entered lately."""
        if not is_recent(self.request):
            raise NotVerified


class BeginView(_PasswordFirst, views.BeginCredentialRegistrationView):
    """View with the data a browser needs to make a passkey."""


class CompleteView(_PasswordFirst, views.CompleteCredentialRegistrationView):
    """View that stores the browser's new passkey."""


class LoginView(views.CompleteCredentialAuthenticationView):
    """View that logs in with a passkey, or takes the second step with it."""

    def complete_auth(self, device: Any) -> None:
        """Log in if the user isn't logged in yet; the passkey counts as both factors."""
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
