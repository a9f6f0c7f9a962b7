"""Public reading goes to a streaming replica of the database, where DATABASE_REPLICA_URL names one.

A request reads one database from beginning to end: in the thread that answers it, the replica takes the place
of the connection ``default``. So whatever a page asks for, in whatever way, is of one age, and what writes is
refused by the replica itself. Whenever the replica fails or refuses, the answer is made again from the
primary, and nobody sees more than a page that took longer.

The primary answers whoever has just written, by a cookie that lasts longer than the replica may lag; the
admin; programs with a token; and everything that isn't reading.
"""

from __future__ import annotations

import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import ceil
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any, Final

import psycopg
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponseBase

REPLICA: Final = "replica"
"""The replica among the connections of the settings."""

JUST_WRITTEN: Final = "just_written"
"""The cookie of whoever has just written."""

_READING: Final = ("GET", "HEAD", "OPTIONS")
_OF_STAFF: Final = "/admin/"
_EVERY: Final = 1.0
"""Seconds from one look at the lag to the next."""
_SILENCE: Final = 3.0
"""Seconds after which a replica that says nothing is left, by those who wait for it as well."""

_logger: Final = logging.getLogger(__name__)

View = Callable[[HttpRequest], HttpResponseBase]


class ReplicaLeft(BaseException):
    """The replica failed or refused: the answer is made again from the primary.

    Nothing between here and there may take it for a failure of its own, so it is no Exception.
    """


def read_from_replica(get_response: View) -> View:
    """Answer from the replica who may be answered from it, as long as it is there and up to date.

    Outside of whatever asks the database.
    """
    if REPLICA not in settings.DATABASES:
        raise MiddlewareNotUsed
    watch = Watch()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if _may_read_replica(request) and watch.is_good():
            try:
                with reading_replica(watch):
                    response = get_response(request)
                if not _is_asked_again(response):
                    return response
                response.close()
            except ReplicaLeft as left:
                _logger.warning("%s was read from the primary: %s", request.path, left.__cause__)
        response = get_response(request)
        if request.method not in _READING and not _has_token(request):
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


def _may_read_replica(request: HttpRequest) -> bool:
    return (
        request.method in _READING
        and JUST_WRITTEN not in request.COOKIES
        and not _has_token(request)
        and not request.path.startswith(_OF_STAFF)
    )


def _has_token(request: HttpRequest) -> bool:
    return "HTTP_AUTHORIZATION" in request.META


def _is_asked_again(response: HttpResponseBase) -> bool:
    """Whether the primary answers after all.

    What is sent bit by bit would be of two databases, and can't be begun again. What is missing may be too
    new for the replica. A fault may be that of the replica, noticed in the middle of what it sent.
    """
    return response.streaming or response.status_code == 404 or response.status_code >= 500


@contextmanager
def reading_replica(watch: Watch) -> Iterator[None]:
    """In here, ``default`` is the replica for this thread. Raises ReplicaLeft where it fails or refuses."""
    primary, replica = connections[DEFAULT_DB_ALIAS], connections[REPLICA]
    connections[DEFAULT_DB_ALIAS] = replica
    # Django refuses a subquery for a database of another name, and queries are for that of the settings.
    replica.alias = DEFAULT_DB_ALIAS
    try:
        with watch.waiting(replica):
            try:
                # One that was kept from an earlier request may be broken.
                replica.close_if_health_check_failed()
                replica.ensure_connection()
            except Error as error:
                watch.leave()
                raise ReplicaLeft from error
            with replica.execute_wrapper(_leaving):
                yield
    except ReplicaLeft:
        replica.close()
        raise
    finally:
        connections[DEFAULT_DB_ALIAS] = primary
        replica.alias = REPLICA


def _leaving(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    try:
        return execute(sql, params, many, context)
    except Error as error:
        raise ReplicaLeft from error


class Watch:
    """Knows until when the replica may be read: a thread asks once a second, and no request waits for it.

    The primary says how far its log has come, and the replica how far it has replayed it. So the lag is in
    seconds of this process, whatever the clocks of the servers show, and grows also where the replica doesn't
    know that it is cut off.
    """

    def __init__(self) -> None:
        self._good_until = 0.0
        self._heard_at = 0.0
        self._marks: deque[tuple[float, int]] = deque(maxlen=1000)
        self._waiting: list[BaseDatabaseWrapper] = []
        self._lock = Lock()
        self._process = 0
        self._why = "nobody has asked yet"

    def is_good(self) -> bool:
        """Whether the replica has answered just now, and lags by no more than it may."""
        if self._process != os.getpid():
            # Threads don't survive the fork of a server.
            with self._lock:
                if self._process != os.getpid():
                    self._process = os.getpid()
                    for what in (self._look, self._cut_off):
                        Thread(target=_again, args=[what], name="replica", daemon=True).start()
        return monotonic() < self._good_until

    def leave(self) -> None:
        """Don't read it until it has answered again."""
        self._good_until = 0.0

    @contextmanager
    def waiting(self, replica: BaseDatabaseWrapper) -> Iterator[None]:
        """In here, somebody waits for the replica; if it falls silent, their connection is cut."""
        with self._lock:
            self._waiting.append(replica)
        try:
            yield
        finally:
            with self._lock:
                self._waiting.remove(replica)

    def _look(self) -> None:
        """Look, and log whenever the replica is left or read again."""
        why = self._why_not()
        if why != self._why:
            self._why = why
            _logger.warning(f"the replica is left: {why}" if why else "the replica is read")

    def _why_not(self) -> str:
        """Ask both, and say why the replica can't be read; empty if it can."""
        try:
            began = monotonic()
            position = _asked(DEFAULT_DB_ALIAS, "SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn")
            self._marks.append((began, position))
            reached = _asked(
                REPLICA, "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn WHERE pg_is_in_recovery()"
            )
        except Exception as error:
            self.leave()
            for alias in (DEFAULT_DB_ALIAS, REPLICA):
                connections[alias].close()
            return str(error)
        self._heard_at = monotonic()
        # Up to the newest mark that it has reached. One that has become a primary itself has reached none.
        while len(self._marks) > 1 and reached is not None and self._marks[1][1] <= reached:
            self._marks.popleft()
        at, position = self._marks[0]
        if reached is None or position > reached or at + settings.DATABASE_REPLICA_LAG < self._heard_at:
            self.leave()
            return "it lags" if reached is not None else "it is a primary itself"
        self._good_until = min(at + settings.DATABASE_REPLICA_LAG, self._heard_at + _SILENCE)
        return ""

    def _cut_off(self) -> None:
        """A server that is stopped, or a network that swallows, ends no connection: they would wait on."""
        if monotonic() - self._heard_at < _SILENCE:
            return
        with self._lock:
            for replica in self._waiting:
                with suppress(AttributeError, OSError, psycopg.Error):
                    _shut(replica.connection.fileno())


def _shut(descriptor: int) -> None:
    with socket.socket(fileno=os.dup(descriptor)) as one:
        one.shutdown(socket.SHUT_RDWR)


def _again(what: Callable[[], None]) -> None:
    while True:
        what()
        sleep(_EVERY)


def _asked(alias: str, statement: str) -> Any:
    """What a statement gives; None without a row."""
    connection = connections[alias]
    connection.close_if_unusable_or_obsolete()
    with connection.cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone()
    return row and row[0]
