"""What becomes due in the arena because time passes. Importing this lets the worker do it."""

from datetime import datetime
from typing import Final

from ratings.arena.models import Webhook
from ratings.arena.services.delivering import forget, note_deliveries, start_sending
from ratings.arena.services.keeping_answers import forget_answers
from ratings.arena.services.presence import settle_all
from ratings.office.upkeep import Lanes, beside_jobs, hourly

_LANES: Final = Lanes("webhooks", 8)


@hourly
def end_games_by_presence(at: datetime) -> None:
    """RBB 2.4: games whose end the worker has missed."""
    settle_all(at)


@beside_jobs
def tell_webhooks(at: datetime) -> None:
    """Send what has happened since, if anybody wants to know."""
    if Webhook.objects.active().exists():
        note_deliveries(at)
        start_sending(_LANES, at)


@hourly
def forget_deliveries(at: datetime) -> None:
    """Delete what was sent long ago."""
    forget(at)


@hourly
def forget_kept_answers(at: datetime) -> None:
    """Delete answers of yesterday, which may have secrets."""
    forget_answers(at)
