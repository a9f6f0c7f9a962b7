"""Scheduled work of the arena. Importing this module registers it with the worker."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from ratings.arena.models import Delivery, KeptAnswer, Webhook
from ratings.arena.services import keeping_answers
from ratings.arena.services.delivering import note_deliveries, start_sending
from ratings.arena.services.presence import settle_all
from ratings.office.upkeep import Lanes, beside_jobs, delete_in_pieces, hourly
from ratings.rbb.models import RunningClocks

KEPT: Final = timedelta(days=14)
"""Time for which a delivery is kept with its attempts."""

_LANES: Final = Lanes("webhooks", 8)


@hourly
def end_games_by_presence(at: datetime) -> None:
    """End games by RBB 2.4 that the worker has missed."""
    settle_all(at)


@hourly
def forget_clocks(at: datetime) -> None:
    """Delete the clocks of games that have ended. They aren't shown any more."""
    over = Q(game__ended_at__isnull=False) | Q(game__voided_at__isnull=False)
    delete_in_pieces(RunningClocks.objects.filter(over).order_by("pk"))


@beside_jobs
def tell_webhooks(at: datetime) -> None:
    """Send messages about whatever has happened since, if any webhook is active."""
    if Webhook.objects.active().exists():
        note_deliveries(at)
        start_sending(_LANES, at)


@hourly
def forget_deliveries(at: datetime) -> None:
    """Delete messages older than KEPT, with their attempts."""
    delete_in_pieces(Delivery.objects.filter(created_at__lt=at - KEPT).order_by("created_at"))


@hourly
def forget_kept_answers(at: datetime) -> None:
    """Delete yesterday's answers, which may contain secrets."""
    KeptAnswer.objects.filter(at__lte=at - keeping_answers.KEPT).delete()
