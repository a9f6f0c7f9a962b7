"""Prometheus metrics of the worker, its queue and the audit."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from prometheus_client.metrics_core import Metric

from foa.monitoring.health import last_sign_of_life
from foa.monitoring.metrics import figures, gauge
from ratings.office.models import AuditFinding
from ratings.office.upkeep import waiting_since


@figures
def worker() -> Iterator[Metric]:
    """Yield the worker's last sign of life, if there ever was a worker."""
    if last := last_sign_of_life():
        yield gauge("foa_worker_timestamp_seconds", "The worker’s last sign of life.", last.timestamp())


@figures
def queue() -> Iterator[Metric]:
    """Yield the depth and age of the queue of tasks that are ready to run."""
    now = timezone.now()
    since = waiting_since(now)
    waited = (now - since).total_seconds() if since else 0
    depth = DBTaskResult.objects.ready().count()
    yield gauge("foa_queue_depth", "Tasks that wait for the worker.", depth)
    yield gauge("foa_queue_age_seconds", "Seconds that the oldest of them has waited.", waited)


@figures
def audit() -> Iterator[Metric]:
    """Yield the number of findings that nobody has accepted."""
    found = AuditFinding.objects.open().count()
    yield gauge("foa_audit_findings", "Open findings of the audit.", found)
