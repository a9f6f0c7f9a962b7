"""Middleware that requires the second factor after the password, and sets cookies after logging in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.contrib.auth.views import redirect_to_login
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django_otp import user_has_device

from foa.account.factors import SECOND_STEP_DUE, was_entered
from foa.account.language import speak_language_of
from foa.account.lockout import remember_browser

_LOGGED_IN: Final = "foa.logged_in"

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

    Staff whose session began at the arena give their password before the admin opens.

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
        if match.app_name != "admin":
            return None
        user: Any = request.user
        if not user.is_authenticated or not user.is_staff or user.is_verified():
            return None
        if not was_entered(request):
            # Whoever logged in with the arena has become staff since.
            return redirect_to_login(_back(request), reverse("confirm_password"))
        if settings.STAFF_TWO_FACTOR:
            return (
                _second_step(request) if user_has_device(user) else HttpResponseRedirect(reverse("account"))
            )
        return None


def _back(request: HttpRequest) -> str:
    return request.get_full_path() if request.method == "GET" else reverse("admin:index")


def _second_step(request: HttpRequest) -> HttpResponse:
    step = reverse("second_step")
    if request.method != "GET":
        return HttpResponseRedirect(step)
    return redirect_to_login(request.get_full_path(), step)


@receiver(user_logged_in, dispatch_uid="foa.note_login")
def note_login(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Note for the middleware who has logged in."""
    request.META[_LOGGED_IN] = user


def set_cookies_of_login(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """After logging in, set the cookies of the login's language and of a known browser."""

    def middleware(request: HttpRequest) -> HttpResponse:
        answer = get_response(request)
        if user := request.META.get(_LOGGED_IN):
            speak_language_of(user, answer)
            remember_browser(user, answer)
        return answer

    return middleware
