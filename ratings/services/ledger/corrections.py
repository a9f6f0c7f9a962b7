"""Corrections of games by staff: voiding and reinstating, and whose ratings moved."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from ratings.models.games import Game
from ratings.services.ledger.replay import ReplaySummary, deferred


def void_games(*, games: Iterable[Game], by: Any, at: datetime, reason: str, note: str = "") -> ReplaySummary:
    """Take games out of the ratings; ``moved`` of the result names everybody whose rating changed.

    ``reason`` is what members read, one of the office's or other words; ``note`` is for staff. All of them
    or none, with one replay. Raises ValidationError if a game is void already.
    """
    return _correct(games, by, note, voided_at=at, voided_by=by, void_reason=reason, void_note=note)


def reinstate_games(*, games: Iterable[Game], by: Any, note: str = "") -> ReplaySummary:
    """Let void games count again, each in its old place, all of them or none.

    Raises ValidationError as :func:`void_games` does, if a game is not void, and if one may not be rated.
    """
    return _correct(games, by, note, voided_at=None, voided_by=None, void_reason="", void_note="")


def _correct(games: Iterable[Game], by: Any, note: str, **fields: Any) -> ReplaySummary:
    keys = [game.pk for game in games]
    faults: list[str] = []
    with deferred() as work, transaction.atomic():
        # In the order of their keys: two who correct the same games wait for each other, not in a circle.
        stored = Game.objects.with_names().filter(pk__in=keys).order_by("pk")
        for game in stored.select_for_update(of=("self",)):
            if (game.voided_at is None) == (fields["voided_at"] is None):
                refusal = _("%(game)s is void already.") if game.voided_at else _("%(game)s is not void.")
                faults.append(refusal % {"game": game})
                continue
            vars(game).update(_history_user=by, _change_reason=note[:255] or None)
            for name, value in fields.items():
                setattr(game, name, value)
            try:
                game.save()
            except ValidationError as error:
                faults += [
                    _("%(game)s: %(fault)s") % {"game": game, "fault": fault} for fault in error.messages
                ]
        if faults:
            raise ValidationError(faults)
    return work.summary
