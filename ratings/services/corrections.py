"""Corrections of games by staff: voiding and reinstating, and whose ratings moved."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from ratings.models.games import Game
from ratings.services.replay import ReplaySummary, deferred

__all__ = ["reinstate_game", "void_game"]


def void_game(*, game: Game, by: Any, reason: str, at: datetime) -> ReplaySummary:
    """Take a game out of the ratings; ``moved`` of the result names everybody whose rating changed.

    Raises ValidationError without a reason or with one that is too long, or for a game that is void already.
    """
    reason = reason.strip()
    if not reason:
        raise ValidationError("Say why the game is void: the reason stands on its page.")
    if len(reason) > (longest := Game._meta.get_field("void_reason").max_length or 0):
        raise ValidationError(f"The reason has {len(reason)} characters, more than {longest}.")
    return _set(game, voided_at=at, voided_by=by, void_reason=reason)


def reinstate_game(*, game: Game) -> ReplaySummary:
    """Let a void game count again, in its old place; raises ValidationError for a game that is not void."""
    return _set(game, voided_at=None, voided_by=None, void_reason="")


def _set(game: Game, *, voided_at: datetime | None, voided_by: Any, void_reason: str) -> ReplaySummary:
    with deferred() as work, transaction.atomic():
        current = Game.objects.select_for_update(of=("self",)).get(pk=game.pk)
        if (current.voided_at is None) == (voided_at is None):
            raise ValidationError(
                "The game is not void." if voided_at is None else "The game is void already."
            )
        current.voided_at, current.voided_by, current.void_reason = voided_at, voided_by, void_reason
        current.save()
    # The caller holds the game as it was: saving that again would undo this.
    game.refresh_from_db(fields=["voided_at", "voided_by", "void_reason"])
    return work.summary
