"""Servers' reports of players who are gone, and back."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from ratings.arena.models import PresenceEvent
from ratings.arena.services.games import RefusedError, too_far_ahead
from ratings.arena.services.presence import lock_own_game, look_again_at, settle
from ratings.formats.problems import Fault
from ratings.rbb.models import Game
from ratings.rbb.models.games import CLOCK_AHEAD
from ratings.rules.rbb.presence import LONGEST, Event, What


class OtherEventError(Exception):
    """An error for an event that differs from what the server sent before under the same number."""

    def __init__(self, stored: Event, sent: Event) -> None:
        super().__init__(stored.sequence)
        self.stored, self.sent = stored, sent


@transaction.atomic
def hear(external_id: str, event: Event, *, at: datetime) -> tuple[Game, bool]:
    """Store an event and end the game if it implies that; return the game, and whether the event is new.

    Raises Game.DoesNotExist, OtherEventError for a number that is taken, and RefusedError for an impossible
    moment. Nothing is stored then.
    """
    game = lock_own_game(external_id)
    if game is None:
        raise Game.DoesNotExist
    if stored := game.presence.filter(sequence=event.sequence).first():
        if stored.event != event:
            raise OtherEventError(stored.event, event)
        return game, False
    if fault := _fault(game, event, at):
        raise RefusedError([Fault("at", fault)])
    PresenceEvent.objects.create(game=game, received_at=at, **event._asdict())
    if event.what == What.GONE:
        look_again_at(game, at + LONGEST + timedelta(seconds=settings.PRESENCE_GRACE))
    settle(game, at=at)
    return game, True


def _fault(game: Game, event: Event, at: datetime) -> str:
    if event.at < game.started_at:
        return _("This is before the start of the game.")
    if event.at > at + CLOCK_AHEAD:
        return too_far_ahead(event.at, at)
    return ""
