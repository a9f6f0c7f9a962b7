"""Sessions of a login, to show and to end. SESSION_ENGINE is this module."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, Final

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db.models import Case, QuerySet, When
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from foa.db_errors import passes
from foa.models import Session

_LOGIN: Final = "login"
"""Session key of the time, address and browser of the login."""

OF_STAFF: Final = timedelta(hours=12)
"""Lifetime of a staff session after logging in."""

OF_OTHERS: Final = timedelta(weeks=2)
"""Lifetime of any other session after logging in."""

_SHOWN: Final = 50
"""Maximum number of sessions that a page shows."""

_UNKNOWN: Final = datetime.min.replace(tzinfo=UTC)
"""Stands for an unknown time of logging in: before all others."""

_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS: Final = {
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iOS",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
"""The first match counts, because each system and browser also names older ones."""


class SessionStore(DatabaseStore):
    """Django's database sessions, with the login in a column."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """Return the model of the table."""
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """Return the row of a session, with its login."""
        row: Session = super().create_model_instance(data)  # type: ignore[assignment]
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        return row

    def save(self, must_create: bool = False) -> None:
        """Store the session. Re-raise temporary database errors, which Django treats as an ended session."""
        try:
            super().save(must_create)
        except UpdateError as error:
            fault = error.__context__
            if fault is not None and passes(fault):
                raise fault from None
            raise


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """Session of a login, for display. ``reference`` identifies it without its key."""

    reference: str
    since: datetime | None
    address: str
    browser: str
    is_this: bool


@receiver(user_logged_in, dispatch_uid="foa.remember_login")
def remember_login(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Note where and when the user logged in, and set the end of the session, even if it is in use."""
    request.session.set_expiry(timezone.now() + (OF_STAFF if user.is_staff else OF_OTHERS))
    request.session[_LOGIN] = {
        "at": timezone.now().isoformat(),
        "address": request.META.get("REMOTE_ADDR", ""),
        "browser": browser(request.META.get("HTTP_USER_AGENT", "")),
    }


def places(user: AbstractBaseUser, this: str | None) -> list[LoggedIn]:
    """Return up to fifty current sessions of a login, the latest first after that with the key ``this``."""
    found = []
    rows = _sessions(user).filter(expire_date__gt=timezone.now())
    for row in rows.order_by(Case(When(session_key=this or "", then=0), default=1), "-expire_date")[:_SHOWN]:
        login = row.get_decoded().get(_LOGIN, {})
        found.append(
            LoggedIn(
                reference=_reference(row),
                since=datetime.fromisoformat(login["at"]) if "at" in login else None,
                address=login.get("address", ""),
                browser=login.get("browser", ""),
                is_this=row.session_key == this,
            )
        )
    return sorted(found, key=lambda one: (one.is_this, one.since or _UNKNOWN), reverse=True)


def end(user: AbstractBaseUser, reference: str) -> bool:
    """End a session of a login; return False if it has already ended."""
    for row in _sessions(user).only("session_key", "user"):
        if constant_time_compare(_reference(row), reference):
            row.delete()
            return True
    return False


def end_others(user: AbstractBaseUser, this: str | None) -> int:
    """End all sessions of a login but ``this``, or all if it is None; return the number ended."""
    ended, _ = _sessions(user).exclude(session_key=this or "").delete()
    return ended


def browser(agent: str) -> str:
    """Return browser and system, as far as known: “Firefox, Linux”."""
    names = (
        next((name for mark, name in marks.items() if mark in agent), "") for marks in (_BROWSERS, _SYSTEMS)
    )
    return ", ".join(name for name in names if name)


def _sessions(user: AbstractBaseUser) -> QuerySet[Session]:
    return Session.objects.filter(user_id=user.pk)


def _reference(row: Session) -> str:
    # A key is random and long, so it can't be found from the hash. Doesn't change with SECRET_KEY.
    return blake2b(row.session_key.encode(), digest_size=10, person=b"foa.sessions").hexdigest()
