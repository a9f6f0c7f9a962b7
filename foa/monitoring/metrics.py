"""Metrics for Prometheus: counts of the processes, and figures looked up when it asks.

Under gunicorn (``foa.serving``) each process counts into its own files, and the one that is asked adds them
up. The worker serves its counts at its own address. Ordinary requests look up no figures in the database:
apps register those with :func:`figures`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from django.conf import settings
from django.db import connections
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    start_http_server,
)
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from foa.monitoring.health import disks, newest_backup

_COUNTED: Final = CollectorRegistry()

REQUESTS: Final = Histogram(
    "foa_request_seconds",
    "Seconds until the answer to a request began.",
    ("view", "method", "status"),
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=_COUNTED,
)
IN_PROGRESS: Final = Gauge(
    "foa_requests_in_progress",
    "Requests that are being answered.",
    registry=_COUNTED,
    multiprocess_mode="livesum",
)
GAMES: Final = Counter("foa_games_saved", "Games stored or finished.", registry=_COUNTED)
REPLAYED: Final = Counter("foa_replay_rows", "Ledger rows written or deleted by replays.", registry=_COUNTED)
REPLAYING: Final = Histogram(
    "foa_replay_seconds",
    "Seconds that a replay took.",
    buckets=(0.1, 0.5, 1, 5, 15, 60, 300),
    registry=_COUNTED,
)
SENT: Final = Counter(
    "foa_webhook_attempts", "Attempts to send a message to a webhook.", ("outcome",), registry=_COUNTED
)
for _outcome in ("delivered", "failed", "dead"):
    # Start at 0: a counter that begins with 1 shows no increase.
    SENT.labels(_outcome)

Figures = Callable[[], Iterable[Metric]]
"""Function that looks up figures; it may query the database."""

_FIGURES: Final[list[Figures]] = []

_logger: Final = logging.getLogger(__name__)


def figures(look_up: Figures) -> Figures:
    """Register a function whose figures are looked up whenever Prometheus asks."""
    _FIGURES.append(look_up)
    return look_up


def gauge(name: str, said: str, value: float) -> GaugeMetricFamily:
    """Return a figure without labels."""
    return GaugeMetricFamily(name, said, value=value)


class _LookedUp(Collector):
    def collect(self) -> Iterator[Metric]:
        """Yield all figures. Those that can't be looked up are missing, and the error is logged."""
        failed = 0
        for look_up in _FIGURES:
            try:
                yield from list(look_up())
            except Exception:
                failed += 1
                _logger.exception("%s.%s failed", look_up.__module__, look_up.__qualname__)
        yield gauge("foa_figures_failed", "Groups of figures that could not be looked up.", failed)


def exposition() -> bytes:
    """Return all metrics in the text format of Prometheus."""
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        counted = b""
    else:
        counted = generate_latest(_COUNTED)
    registry.register(_LookedUp())
    return counted + generate_latest(registry)


def serve_counts() -> None:
    """Serve the counts of this process at WORKER_METRICS, from a thread."""
    if settings.WORKER_METRICS:
        host, _, port = settings.WORKER_METRICS.rpartition(":")
        start_http_server(int(port), host.strip("[]"), _COUNTED)


@figures
def disk_space() -> Iterator[Metric]:
    """Yield free and total bytes for each directory that the office stores data in."""
    free = GaugeMetricFamily("foa_disk_free_bytes", "Bytes that may be written.", labels=["directory"])
    size = GaugeMetricFamily("foa_disk_size_bytes", "Bytes of the file system.", labels=["directory"])
    for name, usage in disks():
        free.add_metric([name], usage.free)
        size.add_metric([name], usage.total)
    yield from (free, size)


@figures
def backup_age() -> Iterator[Metric]:
    """Yield the time of the newest backup, if there is one."""
    if made := newest_backup():
        yield gauge("foa_backup_timestamp_seconds", "When the newest backup was made.", made.timestamp())


@figures
def replica_lag() -> Iterator[Metric]:
    """Yield the replica's lag in seconds, if there is a replica; 0 once it has applied all it received."""
    if "replica" in settings.DATABASES:
        with connections["replica"].cursor() as cursor:
            cursor.execute(
                "SELECT CASE WHEN EXISTS (SELECT FROM pg_stat_wal_receiver)"
                " AND pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 ELSE extract(epoch FROM"
                " now() - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())) END"
            )
            lag = cursor.fetchone()[0]
        yield gauge("foa_replica_lag_seconds", "Seconds that the replica lies behind.", float(lag))
