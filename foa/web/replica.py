"""Reads of visitors and members from a streaming replica, if DATABASE_REPLICA_URL names one.

The primary serves the admin, programs with a token, everything that isn't reading and, by a cookie, users
who have just written. The load balancer watches the replica's health (docs/scaling.md).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from math import ceil
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.core.signals import request_finished
from django.db import DEFAULT_DB_ALIAS
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

REPLICA: Final = "replica"
"""Alias of the replica in the settings."""

JUST_WRITTEN: Final = "just_written"
"""Name of the cookie that sends reads to the primary."""

_READING: Final = ("GET", "HEAD", "OPTIONS")
_reads_from: ContextVar[str] = ContextVar("reads_from", default=DEFAULT_DB_ALIAS)

View = Callable[[HttpRequest], HttpResponseBase]


class ReplicaRouter:
    """Database router: reads of a visitor's request go to the replica, all writes to the primary."""

    def db_for_read(self, model: Any, **hints: Any) -> str:
        """Return the alias that this request reads from."""
        return _reads_from.get()

    def db_for_write(self, model: Any, **hints: Any) -> str:
        """Return the primary, also for rows read from the replica."""
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        """Allow relations between rows of both: they are one database."""
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        """Migrate only the primary."""
        return db == DEFAULT_DB_ALIAS


def read_from_replica(get_response: View) -> View:
    """Let visitors' requests read the replica, and set a cookie after a write."""
    if REPLICA not in settings.DATABASES:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponseBase:
        is_program = "HTTP_AUTHORIZATION" in request.META
        is_reading = request.method in _READING
        is_public = not request.path.startswith("/admin/") and JUST_WRITTEN not in request.COOKIES
        _reads_from.set(REPLICA if is_reading and is_public and not is_program else DEFAULT_DB_ALIAS)
        response = get_response(request)
        if not is_reading and not is_program:
            response.set_cookie(
                JUST_WRITTEN,
                "1",
                max_age=ceil(settings.DATABASE_REPLICA_LAG) + 1,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return middleware


@receiver(request_finished)
def _read_primary(**_kwargs: Any) -> None:
    """Go back to the primary, once a download has been sent as well."""
    _reads_from.set(DEFAULT_DB_ALIAS)
