"""Corrections of games by staff: voiding and reinstating, and whose ratings moved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from datetime import datetime
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from foa.history import note_changes
from foa.locking import lock_rows
from foa.monitoring.metrics import GAMES
from ratings.models.games import Game
from ratings.office import bulk
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
        summary = _void_or_reinstate(games, by, note or reason, **fields)
        tell_of_each(OutboxEntry.Event.GAME_VOIDED, [game.pk for game in games])
    return summary


def reinstate_games(*, games: Iterable[Game], by: Any, reason: str) -> ReplaySummary:
    """Let void games count again, each in its old place, all of them or none; ``reason`` is for staff.

    Raises ValidationError as :func:`void_games` does, if a game is not void, and if one may not be rated.
    """
    values = {"voided_at": None, "voided_by": None, "void_reason": "", "void_note": ""}
    return _void_or_reinstate(games, by, _sound(reason), **values)


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

    def rated(game: Game) -> dict[str, Any]:
        if game.rated or game.unrated_reason not in NOT_FULL:
            raise ValidationError(
                _("%(game)s is not kept unrated for lack of full membership.") % {"game": game}
            )
        return {"rated": True, "unrated_reason": ""}

    return _correct(games, by, _sound(reason), rated)


def unrate_games(*, games: Mapping[Game, str], by: Any, reason: str) -> ReplaySummary:
    """RBB 2.1: take games out of the ratings, each for lack of this full membership, all of them or none.

    ``reason`` is for staff. Raises ValidationError for a game that is not rated.
    """
    why = {game.pk: lacking for game, lacking in games.items()}

    def unrated(game: Game) -> dict[str, Any]:
        if not game.rated:
            raise ValidationError(_("%(game)s is not rated.") % {"game": game})
        return {"rated": False, "unrated_reason": why[game.pk]}

    return _correct(games, by, _sound(reason), unrated)


def _void_or_reinstate(games: Iterable[Game], by: Any, note: str, **values: Any) -> ReplaySummary:
    def changed(game: Game) -> dict[str, Any]:
        if (game.voided_at is None) == (values["voided_at"] is None):
            refusal = _("%(game)s is void already.") if game.voided_at else _("%(game)s is not void.")
            raise ValidationError(refusal % {"game": game})
        return values

    return _correct(games, by, note, changed)


def _correct(
    games: Iterable[Game], by: Any, note: str, values_of: Callable[[Game], dict[str, Any]]
) -> ReplaySummary:
    """Give games other values, with their histories; ``values_of`` refuses a game with a ValidationError.

    A game that is gone is refused, too: whoever decides about games is told what became of each.
    """
    keys = [game.pk for game in games]
    faults: list[str] = []
    before, after = [], []
    alike: defaultdict[tuple[tuple[str, Any], ...], list[int]] = defaultdict(list)
    with deferred() as work, transaction.atomic():
        lock_rows(Game.objects.only("pk"), keys)
        for game in Game.objects.with_names().filter(pk__in=keys).order_by("pk"):
            stood = copy(game)
            try:
                values = values_of(game)
            except ValidationError as error:
                faults += error.messages
                continue
            for name, value in values.items():
                setattr(game, name, value)
            try:
                game.clean()
            except ValidationError as error:
                faults += [
                    _("%(game)s: %(fault)s") % {"game": game, "fault": fault} for fault in error.messages
                ]
            before.append(stood)
            after.append(game)
            alike[tuple(values.items())].append(game.pk)
        if faults:
            raise ValidationError(faults)
        for fields, some in alike.items():
            for batch in bulk.batches(some):
                Game.objects.filter(pk__in=batch).update(**dict(fields))
        note_changes(before, after, by=by, reason=note)
        transaction.on_commit(partial(GAMES.inc, len(after)))
    return work.summary
