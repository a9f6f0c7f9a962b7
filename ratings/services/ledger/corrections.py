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


def void_games(*, games: Iterable[Game], by: Any, reason: str, at: datetime, note: str = "") -> ReplaySummary:
    """Take games out of the ratings; ``moved`` of the result names everybody whose rating changed.

    ``reason`` is what members read, one of the office's or other words; ``note`` is for staff. All of them
    or none, with one replay. Raises ValidationError without a reason, with one that is too long, and if a
    game is void already.
    """
    reason = _sound(reason)
    return _correct(games, by, note or reason, voided_at=at, voided_by=by, void_reason=reason, void_note=note)


def reinstate_games(*, games: Iterable[Game], by: Any, reason: str) -> ReplaySummary:
    """Let void games count again, each in its old place, all of them or none; ``reason`` is for staff.

    Raises ValidationError as :func:`void_games` does, if a game is not void, and if one may not be rated.
    """
    return _correct(games, by, _sound(reason), voided_at=None, voided_by=None, void_reason="", void_note="")


def _sound(reason: str) -> str:
    reason = reason.strip()
    if not reason:
        raise ValidationError(_("Say why: the reason is kept in the history of the game."))
    if len(reason) > (longest := Game._meta.get_field("void_reason").max_length or 0):
        raise ValidationError(
            _("The reason has %(length)d characters, more than %(longest)d.")
            % {"length": len(reason), "longest": longest}
        )
    return reason


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
            vars(game).update(_history_user=by, _change_reason=note[:255])
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
