"""Middleware that requires the second factor after the password."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django_otp import user_has_device

from foa.account.factors import SECOND_STEP_DUE

_ALWAYS_OPEN: Final = {
    "login",
    "logout",
    "admin:logout",
    "second_step",
    "set_language",
    "otp_webauthn:credential-authentication-begin",
    "otp_webauthn:credential-authentication-complete",
    "otp_webauthn:js-i18n-catalog",
}


class AskForSecondFactor:
    """Middleware that redirects to the second step if it is due, and staff without a factor to their account.

    Requests without a session cookie aren't checked, so that visitors' pages stay the same for all.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *args: Any) -> HttpResponse | None:
        """Return a redirect if the page isn't open yet, else None."""
        match = request.resolver_match
        if (
            match is None
            or match.view_name in _ALWAYS_OPEN
            or settings.SESSION_COOKIE_NAME not in request.COOKIES
        ):
            return None
        if request.session.get(SECOND_STEP_DUE):
            return _second_step(request)
        if settings.STAFF_TWO_FACTOR and match.app_name == "admin":
            user: Any = request.user
            if user.is_authenticated and user.is_staff and not user.is_verified():
                return (
                    _second_step(request)
                    if user_has_device(user)
                    else HttpResponseRedirect(reverse("account"))
                )
        return None


def _second_step(request: HttpRequest) -> HttpResponse:
    step = reverse("second_step")
    if request.method != "GET":
        return HttpResponseRedirect(step)
    return redirect_to_login(request.get_full_path(), step)
