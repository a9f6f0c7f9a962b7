"""``/healthz/live``, ``/healthz/ready`` and ``/metrics``, answered before other middleware.

Load balancers use the machine's address, without TLS; the site's own pages refuse such requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, final

from django.conf import settings
from django.db import connections
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound, JsonResponse
from django.utils.crypto import constant_time_compare
from health_check.base import HealthCheck, HealthCheckResult
from health_check.checks import Cache, Database
from health_check.exceptions import HealthCheckException, ServiceUnavailable
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from foa.monitoring.health import disks, is_worker_alive, unapplied_migrations
from foa.monitoring.metrics import exposition

_LEAST_FREE: Final = 256 * 1024 * 1024
"""Bytes that must be free on each disk."""


class _UnfitError(ServiceUnavailable):  # type: ignore[misc]
    """Failure of one of our own checks; its message is safe to publish."""


@dataclass
class _OwnCheck(HealthCheck):  # type: ignore[misc]
    """Health check that runs in its own thread and closes that thread's connections."""

    @final
    def run(self) -> None:
        """Run the check; raise _UnfitError if it fails."""
        try:
            self.look()
        finally:
            connections.close_all()

    def look(self) -> None:
        """Raise _UnfitError if something is missing."""
        raise NotImplementedError


class Migrations(_OwnCheck):
    """Check that every migration of this version is applied."""

    def look(self) -> None:
        """Raise _UnfitError with the number of unapplied migrations."""
        if lacking := unapplied_migrations():
            raise _UnfitError(f"{lacking} not applied")


class Worker(_OwnCheck):
    """Check that a worker is alive."""

    def look(self) -> None:
        """Raise _UnfitError if no worker reported in the last minute."""
        if not is_worker_alive():
            raise _UnfitError("no sign of life in the last minute")


class Disk(_OwnCheck):
    """Check that each disk has enough free space."""

    def look(self) -> None:
        """Raise _UnfitError with the names of the disks that are almost full."""
        if full := [name for name, usage in disks() if usage.free < _LEAST_FREE]:
            raise _UnfitError(f"almost full: {', '.join(full)}")


_READY: Final = {
    "database": Database(),
    "migrations": Migrations(),
    "cache": Cache(),
    "progress": Cache("progress"),
    "worker": Worker(),
    "disk": Disk(),
}


def answer_probes(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer requests of monitors, and leave all others to the site."""
    answers = {"/healthz/live": live, "/healthz/ready": ready, "/metrics": metrics}

    def middleware(request: HttpRequest) -> HttpResponse:
        answer = answers.get(request.path_info)
        return get_response(request) if answer is None else answer(request)

    return middleware


def live(request: HttpRequest) -> HttpResponse:
    """Answer that the process is alive."""
    return JsonResponse({"process": "ok"}, headers=_NOT_KEPT)


def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 if all checks pass, else 503, with one line for each check."""
    results = asyncio.run(_results())
    said = {name: _word(result.error) for name, result in zip(_READY, results, strict=True)}
    status = 503 if any(result.error for result in results) else 200
    return JsonResponse(said, status=status, headers=_NOT_KEPT, json_dumps_params={"indent": 1})


def metrics(request: HttpRequest) -> HttpResponse:
    """Answer the metrics for requests with METRICS_TOKEN, 404 for all others."""
    given = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponseNotFound()
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_PLAIN_0_0_4, headers=_NOT_KEPT)


_NOT_KEPT: Final = {"Cache-Control": "no-store"}


async def _results() -> list[HealthCheckResult]:
    # Our own threads, not waited for: one may hang in a look-up or on a connection without an answer.
    threads = ThreadPoolExecutor(len(_READY))
    try:
        return await asyncio.gather(*(check.get_result(threads) for check in _READY.values()))
    finally:
        threads.shutdown(wait=False)


def _word(error: HealthCheckException | None) -> str:
    """Return “ok”, our own message, or “failed”: messages of other checks may name hosts or users."""
    if error is None:
        return "ok"
    return error.message if isinstance(error, _UnfitError) else "failed"
