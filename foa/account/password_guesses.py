"""The guard against guessed passwords: django-axes, and what it doesn't do, guesses from many addresses.

An address that guesses rests after five wrong passwords. Many addresses together can guess at one login so
often that a browser which was never logged in there has to rest too (ASVS 2.2.1: at most a hundred an hour).
Those that were go on, so nobody locks somebody else out.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.db.models import Sum
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

KNOWN: Final = "known_browser"
"""The cookie of a browser, signed, with the key of the login that was last used there."""

_MOST: Final = 25
"""Wrong passwords for one login from everywhere in a quarter of an hour (AXES_COOLOFF_TIME)."""
_KEPT: Final = timedelta(days=180)
_LONGEST: Final = 255
"""Characters of axes’ column: PostgreSQL refuses more, and Django’s form lets any number pass."""


def attempted_name(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """The name that was tried, as far as it can be stored. Empty for a passkey, which nobody guesses."""
    name: str = (credentials or request.POST).get("username") or ""
    return name[:_LONGEST]


class Guard(AxesDatabaseHandler):
    """axes’ own, which also counts what all addresses together have tried. AXES_HANDLER is this class."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Wrong passwords of this address for this login: the limit, where the browser has to rest."""
        failures: int = super().get_failures(request, credentials)
        limit: int = settings.AXES_FAILURE_LIMIT
        return limit if failures < limit and _rests(request, credentials) else failures


def _rests(request: HttpRequest, credentials: dict[str, Any] | None) -> bool:
    name = attempted_name(request, credentials)
    if not name:
        return False
    lately = AccessAttempt.objects.filter(
        username=name, attempt_time__gt=timezone.now() - settings.AXES_COOLOFF_TIME
    )
    guesses = lately.aggregate(all=Sum("failures_since_start"))["all"] or 0
    if guesses < _MOST:
        return False
    known = request.get_signed_cookie(KNOWN, default=None, salt=KNOWN, max_age=_KEPT)
    return known is None or not User.objects.filter(username=name, pk=known).exists()


@receiver(user_logged_in, dispatch_uid="foa.know_browser")
def know_browser(request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Note who has just logged in."""
    request.META[KNOWN] = str(user.pk)


def remember_browser(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """A browser in which somebody has logged in is known from then on."""

    def middleware(request: HttpRequest) -> HttpResponse:
        answer = get_response(request)
        if known := request.META.get(KNOWN):
            answer.set_signed_cookie(
                KNOWN,
                known,
                salt=KNOWN,
                max_age=_KEPT,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return answer

    return middleware
