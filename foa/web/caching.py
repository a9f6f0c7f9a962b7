"""Visitors get a page as it was made for the visitor before, as long as nothing in the database has changed.

Where games are saved all the time, visitors who ask for one page at once share it. A page is made by one
thread of a process at a time. Whoever came before it was begun gets it too: it is as new as one of their own.

What a page shows depends on much: games, members, lists, decisions. A key of its own for each page would
forget something sooner or later. The databases themselves know whether anything at all was committed, and say
so without a table or a lock of the office.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from functools import cache as once
from functools import wraps
from hashlib import blake2b
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language

from foa.monitoring.requests import VIEW
from foa.web.replica import is_replica_read

SECONDS: Final = 60
"""So late at most does a page show that time has passed: somebody's last 30 days, or full membership."""

_KEPT_TYPES: Final = ("text/html", "application/json")

View = Callable[..., HttpResponseBase]


def cached_for_visitors(view: View) -> View:
    """Mark a page that is the same for everybody who is not logged in, and has no form with a token."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        request.META[_SAME_FOR_VISITORS] = True
        return view(request, *args, **kwargs)

    return answer


_SAME_FOR_VISITORS: Final = "foa.same_for_visitors"


_MAKERS: Final = tuple(Lock() for _ in range(1024))
"""An address has one of these locks, by its key. Two addresses with the same one only wait for each other."""


class _Kept(NamedTuple):
    """An answer. ``state`` of the data was known, and the clock showed ``begun``, before it was made."""

    state: str
    begun: float
    content: bytes
    headers: dict[str, str]
    view: str

    def serves(self, state: str, came: float) -> bool:
        """Whether it has all that was committed when somebody came, who then saw this state."""
        return self.state == state or self.begun > came


def keep_for_visitors(get_response: Callable[[HttpRequest], HttpResponse]) -> View:
    """Answer visitors with what is kept, or 304 where their browser has it already.

    Outside the middleware of sessions and languages: what is kept has been through it. Whoever has a session
    gets pages of their own. ``no-cache``: a browser asks each time, so whoever logs in doesn't find what they
    saw as a visitor.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method != "GET" or settings.SESSION_COOKIE_NAME in request.COOKIES:
            response = get_response(request)
            # It may name who is logged in. Pages for one person alone say that nothing is to be stored.
            response.headers.setdefault("Cache-Control", "private, no-cache")
            return response
        came = monotonic()
        # Before the page is made: what is committed meanwhile may be on it, and makes the state another one.
        state = state_of_data()
        if state is None:
            return get_response(request)
        key = _key(request)
        kept: _Kept | None = cache.get(key)
        if kept is None or not kept.serves(state, came):
            with _MAKERS[hash(key) % len(_MAKERS)]:
                # Somebody else may have made it while this thread waited.
                kept = cache.get(key)
                if kept is None or not kept.serves(state, came):
                    begun = monotonic()
                    response = get_response(request)
                    if not _may_be_kept(request, response):
                        return response
                    headers = {**response.headers, "Cache-Control": "no-cache"}
                    view = request.resolver_match.view_name if request.resolver_match else ""
                    kept = _Kept(state, begun, response.content, headers, view)
                    cache.set(key, kept, SECONDS)
        request.META[VIEW] = kept.view
        response = HttpResponse(kept.content, headers=kept.headers)
        return get_conditional_response(request, etag=kept.headers.get("ETag"), response=response) or response

    return middleware


def mark_for_visitors(get_response: Callable[[HttpRequest], HttpResponse]) -> View:
    """Give a page that may be kept an ETag by its content, before it is compressed.

    Compressing adds a random length, so the same page has other bytes each time.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if _may_be_kept(request, response):
            response.headers["ETag"] = f'"{blake2b(response.content, digest_size=16).hexdigest()}"'
        return response

    return middleware


def _key(request: HttpRequest) -> str:
    """The place of an address, in a language, a format and an encoding, as far as pages differ by them.

    A page from a replica lacks what was committed last, whatever state the primary has: it has its own place.
    """
    meta = request.META
    asked = (meta.get(name) for name in ("HTTP_HOST", "HTTP_ACCEPT", "HTTP_ACCEPT_ENCODING"))
    parts = (get_language(), is_replica_read(), request.scheme, *asked, request.get_full_path())
    return f"page:{blake2b(repr(parts).encode(), digest_size=16).hexdigest()}"


def _may_be_kept(request: HttpRequest, response: HttpResponseBase) -> bool:
    return (
        _SAME_FOR_VISITORS in request.META
        and response.status_code == 200
        and not response.streaming
        and not response.cookies
        and response.headers["Content-Type"].startswith(_KEPT_TYPES)
    )


def state_of_data() -> str | None:
    """Text that is another one after every commit; None in a transaction, which sees more than is committed.

    On PostgreSQL it is the snapshot that a query would see. A replica knows too little of transactions under
    way for that, so there it is the place in the log up to which it sees all that was committed. On SQLite it
    is the version that a connection tells which itself never writes; it is good for this process only.
    """
    if connection.in_atomic_block:
        return None
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text"
                " ELSE pg_current_snapshot()::text END"
            )
            return str(cursor.fetchone()[0])
    return f"{os.getpid()}:{_watched(connection.get_connection_params()['database']).version()}"


class _Watched:
    """A connection to an SQLite database, which says when another one has changed it."""

    def __init__(self, database: str) -> None:
        self.connection = sqlite3.connect(database, uri=True, check_same_thread=False)
        self.lock = Lock()

    def version(self) -> int:
        with self.lock:
            return int(self.connection.execute("PRAGMA data_version").fetchone()[0])


_watched = once(_Watched)
