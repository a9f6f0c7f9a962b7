"""The language chosen for a login: of pages after logging in, and of mails."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language
from django.views.i18n import set_language as set_for_browser

from foa.models import LoginSettings


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


def speak_language_of(user: Any, answer: HttpResponse) -> None:
    """Set the browser's language cookie to the login's language, if one was chosen."""
    chosen = LoginSettings.objects.filter(user=user).first()
    if chosen is not None and chosen.language:
        answer.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            chosen.language,
            samesite="Lax",
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        )
