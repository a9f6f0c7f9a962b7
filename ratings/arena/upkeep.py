"""What the worker does for webhooks because time passes. Importing this lets the worker do it."""

from datetime import datetime
from typing import Final

from ratings.arena.models import Webhook
from ratings.arena.services.delivering import Lanes, forget, note_deliveries
from ratings.office.upkeep import beside_jobs, hourly

_LANES: Final = Lanes()


@beside_jobs
def tell_webhooks(at: datetime) -> None:
    """Send what has happened since, if anybody wants to know."""
    if Webhook.objects.active().exists():
        note_deliveries(at)
        _LANES.start(at)


@hourly
def forget_deliveries(at: datetime) -> None:
    """Delete what was sent long ago."""
    forget(at)
