"""The language chosen for a login: of pages after logging in, and of mails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language
from django.views.i18n import set_language as set_for_browser

from foa.models import LoginSettings

_OF_LOGIN: Final = "foa.language_of_login"


def language_of(user: Any) -> str:
    """Return the language of mails to a login."""
    chosen = LoginSettings.objects.filter(user=user).first()
    return (chosen and chosen.language) or settings.LANGUAGE_CODE


def keep_language(user: Any) -> None:
    """Store the language of this request for a login."""
    LoginSettings.objects.update_or_create(user=user, defaults={"language": get_language() or ""})


def set_language(request: HttpRequest) -> HttpResponse:
    """Choose the language of the site, and store it for the login."""
    answer = set_for_browser(request)
    if (code := answer.cookies.get(settings.LANGUAGE_COOKIE_NAME)) and request.user.is_authenticated:
        LoginSettings.objects.update_or_create(user=request.user, defaults={"language": code.value})
    return answer


@receiver(user_logged_in, dispatch_uid="foa.find_language")
def find_language(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Note the language chosen for the login that has just logged in."""
    if (chosen := LoginSettings.objects.filter(user=user).first()) and chosen.language:
        request.META[_OF_LOGIN] = chosen.language


def speak_language_of_login(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Set the browser's language cookie to the login's language after logging in."""

    def middleware(request: HttpRequest) -> HttpResponse:
        answer = get_response(request)
        if language := request.META.get(_OF_LOGIN):
            answer.set_cookie(
                settings.LANGUAGE_COOKIE_NAME,
                language,
                samesite="Lax",
                secure=settings.LANGUAGE_COOKIE_SECURE,
                httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            )
        return answer

    return middleware
