"""Prometheus figures for webhooks."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.metrics_core import Metric

from foa.monitoring.metrics import figures, gauge
from ratings.arena.models import Delivery


@figures
def webhooks() -> Iterator[Metric]:
    """Yield the number of messages that the worker will try again."""
    failing = Delivery.objects.filter(state=Delivery.State.WAITING, attempts__gt=0).count()
    yield gauge("foa_webhooks_failing", "Messages that failed and will be sent again.", failing)
