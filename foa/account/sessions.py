"""Where somebody is logged in: sessions to look at and to end. SESSION_ENGINE is this module."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
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
"""When, from where and with what the session was logged in."""

OF_STAFF: Final = timedelta(hours=12)
"""So long after logging in a session of staff ends, however much it is used. Others end two weeks later."""

_SHOWN: Final = 50
"""Maximum number of sessions that a page shows."""

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
"""The first mark that is found counts: each system and browser also names older ones."""


class SessionStore(DatabaseStore):
    """Django's sessions in the database, with the login in a column."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """The table."""
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """The row of a session."""
        row: Session = super().create_model_instance(data)  # type: ignore[assignment]
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        return row

    def save(self, must_create: bool = False) -> None:
        """Store it; Django takes every fault of the database for a session that somebody has ended."""
        try:
            super().save(must_create)
        except UpdateError as error:
            fault = error.__context__
            if fault is not None and passes(fault):
                raise fault from None
            raise


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """A place where somebody is logged in. ``reference`` names it without its key."""

    reference: str
    since: datetime | None
    address: str
    browser: str
    is_this: bool


@receiver(user_logged_in, dispatch_uid="foa.remember_login")
def remember_login(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Note where and when somebody logged in, and of staff when the session ends."""
    if user.is_staff:
        request.session.set_expiry(timezone.now() + OF_STAFF)
    request.session[_LOGIN] = {
        "at": timezone.now().isoformat(),
        "address": request.META.get("REMOTE_ADDR", ""),
        "browser": browser(request.META.get("HTTP_USER_AGENT", "")),
    }


def places(user: AbstractBaseUser, this: str | None) -> list[LoggedIn]:
    """Return where a login is used, the newest fifty; first the session with the key ``this``, which asks."""
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
    return sorted(found, key=lambda one: (one.is_this, one.since or timezone.now()), reverse=True)


def end(user: AbstractBaseUser, reference: str) -> bool:
    """End a session of a login; False if it has ended already."""
    for row in _sessions(user).only("session_key", "user"):
        if constant_time_compare(_reference(row), reference):
            row.delete()
            return True
    return False


def end_others(user: AbstractBaseUser, this: str | None) -> int:
    """End all sessions of a login but one, or all where that is None; how many there were."""
    ended, _ = _sessions(user).exclude(session_key=this or "").delete()
    return ended


def browser(agent: str) -> str:
    """Browser and system in a word each, as far as they are known."""
    names = (
        next((name for mark, name in marks.items() if mark in agent), "") for marks in (_BROWSERS, _SYSTEMS)
    )
    return ", ".join(name for name in names if name)


def _sessions(user: AbstractBaseUser) -> QuerySet[Session]:
    return Session.objects.filter(user_id=user.pk)


def _reference(row: Session) -> str:
    # A key is random and long, so nobody finds it from this. It stays when SECRET_KEY changes.
    return blake2b(row.session_key.encode(), digest_size=10, person=b"foa.sessions").hexdigest()
