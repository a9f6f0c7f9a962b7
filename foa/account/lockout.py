"""Locking out whoever guesses passwords, also from many addresses (django-axes)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

KNOWN: Final = "known_browser"
"""Name of the signed cookie with the key of the login last used in a browser."""

_MOST: Final = 25
"""Wrong passwords for one login, from all addresses within AXES_COOLOFF_TIME, that block unknown browsers."""
_KEPT: Final = timedelta(days=180)
_LONGEST: Final = 255
"""Maximum characters in axes’ column: PostgreSQL refuses more, and Django’s form has no limit."""


def attempted_name(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """Return the name that was tried, cut to the column's length; empty for a passkey."""
    name: str = (credentials or request.POST).get("username") or ""
    return name[:_LONGEST]


class Guard(AxesDatabaseHandler):
    """axes’ handler, which also counts the attempts of all addresses together. AXES_HANDLER is this class."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Return the failures of this address for this login, or the limit if the browser is blocked."""
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


def remember_browser(user: Any, answer: HttpResponse) -> None:
    """Set the cookie that marks the browser as known for this login."""
    answer.set_signed_cookie(
        KNOWN,
        str(user.pk),
        salt=KNOWN,
        max_age=_KEPT,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
