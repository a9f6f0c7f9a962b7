"""Scheduled work of the arena. Importing this module registers it with the worker."""

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
    """End games by RBB 2.4 that the worker has missed."""
    settle_all(at)


@beside_jobs
def tell_webhooks(at: datetime) -> None:
    """Send messages about whatever has happened since, if any webhook is active."""
    if Webhook.objects.active().exists():
        note_deliveries(at)
        start_sending(_LANES, at)


@hourly
def forget_deliveries(at: datetime) -> None:
    """Delete messages sent long ago."""
    forget(at)


@hourly
def forget_kept_answers(at: datetime) -> None:
    """Delete yesterday's answers, which may contain secrets."""
    forget_answers(at)
