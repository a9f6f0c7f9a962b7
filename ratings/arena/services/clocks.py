"""Clocks and draw offers of games in progress, shown on their boards until they end."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from ratings.arena.services.games import RefusedError, too_far_ahead
from ratings.arena.services.presence import lock_own_game
from ratings.formats.problems import Fault
from ratings.rbb.models import Game, RunningClocks
from ratings.rbb.models.games import CLOCK_AHEAD


@transaction.atomic
def keep_clocks(
    external_id: str, *, white: int, black: int, at: datetime, draw_offer: str, now: datetime
) -> tuple[RunningClocks, bool]:
    """Store the clocks of a game in progress unless later ones are stored; return those stored.

    ``white``, ``black``: milliseconds left at the moment ``at``. Also return True if there were none before.
    Raises Game.DoesNotExist, and RefusedError if the game has ended or the moment can't be.
    """
    game = lock_own_game(external_id)
    if game is None:
        raise Game.DoesNotExist
    if game.ended_at is not None or game.voided_at is not None:
        raise RefusedError([Fault("", _("The game has ended, so no clock is running."))])
    if at > now + CLOCK_AHEAD:
        raise RefusedError([Fault("at", too_far_ahead(at, now))])
    if at < game.started_at:
        raise RefusedError([Fault("at", _("This is before the start of the game."))])
    stored = RunningClocks.objects.filter(game=game).first()
    if stored is not None and stored.at > at:
        return stored, False
    told = {"white": white, "black": black, "at": at, "draw_offer": draw_offer}
    return RunningClocks.objects.update_or_create(game=game, defaults=told)
