"""Corrections of games by staff: voiding and reinstating, and whose ratings moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from ratings.models.games import Game
from ratings.office.models import OutboxEntry
from ratings.office.outbox import tell_of_each
from ratings.rules.rbb.conditions import NOT_FULL
from ratings.services.ledger.replay import deferred
from ratings.services.ledger.summaries import ReplaySummary


def void_games(*, games: Iterable[Game], by: Any, reason: str, at: datetime, note: str = "") -> ReplaySummary:
    """Take games out of the ratings; ``moved`` of the result names everybody whose rating changed.

    ``reason`` is what members read, one of the office's or other words; ``note`` is for staff. All of them
    or none, with one replay. Raises ValidationError without a reason, with one that is too long, and if a
    game is void already.
    """
    reason, games = _sound(reason), list(games)
    with transaction.atomic():
        fields = {"voided_at": at, "voided_by": by, "void_reason": reason, "void_note": note}
        summary = _correct(games, by, note or reason, **fields)
        tell_of_each(OutboxEntry.Event.GAME_VOIDED, [game.pk for game in games])
    return summary


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


def rate_games(*, games: Iterable[Game], by: Any, reason: str) -> ReplaySummary:
    """RBB 2.1: rate games that were kept unrated for lack of full membership, all of them or none.

    ``reason`` is for staff. Raises ValidationError for a game that is not kept so, or may not be rated.
    """

    def rate(game: Game) -> str:
        if game.rated or game.unrated_reason not in NOT_FULL:
            return _("%(game)s is not kept unrated for lack of full membership.") % {"game": game}
        game.rated, game.unrated_reason = True, ""
        return ""

    return _correct_each(games, by, _sound(reason), rate)


def unrate_games(*, games: Mapping[Game, str], by: Any, reason: str) -> ReplaySummary:
    """RBB 2.1: take games out of the ratings, each for lack of this full membership, all of them or none.

    ``reason`` is for staff. Raises ValidationError for a game that is not rated.
    """
    why = {game.pk: lacking for game, lacking in games.items()}

    def unrate(game: Game) -> str:
        if not game.rated:
            return _("%(game)s is not rated.") % {"game": game}
        game.rated, game.unrated_reason = False, why[game.pk]
        return ""

    return _correct_each(games, by, _sound(reason), unrate)


def _correct(games: Iterable[Game], by: Any, note: str, **fields: Any) -> ReplaySummary:
    def void_or_reinstate(game: Game) -> str:
        if (game.voided_at is None) == (fields["voided_at"] is None):
            refusal = _("%(game)s is void already.") if game.voided_at else _("%(game)s is not void.")
            return refusal % {"game": game}
        for name, value in fields.items():
            setattr(game, name, value)
        return ""

    return _correct_each(games, by, note, void_or_reinstate)


def _correct_each(games: Iterable[Game], by: Any, note: str, correct: Callable[[Game], str]) -> ReplaySummary:
    """Store games as ``correct`` leaves them, which says what stands against one, or nothing."""
    keys = [game.pk for game in games]
    faults: list[str] = []
    with deferred() as work, transaction.atomic():
        # In the order of their keys: two who correct the same games wait for each other, not in a circle.
        stored = Game.objects.with_names().filter(pk__in=keys).order_by("pk")
        for game in stored.select_for_update(of=("self",)):
            if fault := correct(game):
                faults.append(fault)
                continue
            vars(game).update(_history_user=by, _change_reason=note[:255])
            try:
                game.save()
            except ValidationError as error:
                faults += [
                    _("%(game)s: %(fault)s") % {"game": game, "fault": fault} for fault in error.messages
                ]
        if faults:
            raise ValidationError(faults)
    return work.summary
