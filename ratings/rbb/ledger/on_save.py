"""Saving or deleting an input: the receivers in ``ratings.rbb.signals`` call these functions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from django.db import transaction

from foa.monitoring.metrics import GAMES
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_event
from ratings.rbb.ledger import replay
from ratings.rbb.ledger.late_facts import origin_of
from ratings.rbb.ledger.summaries import Cause
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rbb.models.games import Game
from ratings.rbb.models.openings import OpeningRating
from ratings.rbb.models.pending_replay import Pending, pending

Input = Game | OpeningRating | OtbAdjustment

_END: Final = ("result", "termination", "ended_at")


def remember_place(
    instance: Input, *, deleted: bool = False, update_fields: Collection[str] | None = None
) -> None:
    """Remember the stored row's place in the order of events, before a save or deletion.

    The row is read again and locked, because two simultaneous edits of a game must not miss the place that
    the other gave it. Raises ValidationError if a save would undo what the other edit has changed or deleted.
    """
    stored: Input | None = None
    if instance.pk is not None:
        manager: Any = type(instance)._base_manager
        stored = manager.select_for_update(no_key=True).filter(pk=instance.pk).first()
    vars(instance)["_stored"] = stored
    if not deleted:
        instance.refuse_overwriting(stored, update_fields)


def rate_after_change(instance: Input, *, deleted: bool = False) -> None:
    """Replay every category that a save or deletion affects, and report games to the outbox.

    A changed end of a game is reported unless its server has just sent it (``told_by_server``) and so knows
    it.
    """
    if isinstance(instance, Game) and not deleted:
        transaction.on_commit(GAMES.inc)
    stored: Input | None = vars(instance).pop("_stored", None)
    if (
        isinstance(instance, Game)
        and instance.voided_at
        and not (isinstance(stored, Game) and stored.voided_at)
    ):
        record_event(OutboxEntry.Event.GAME_VOIDED, instance.pk)
    if (
        isinstance(instance, Game)
        and isinstance(stored, Game)
        and not deleted
        and not instance.told_by_server
        and any(getattr(stored, name) != getattr(instance, name) for name in _END)
    ):
        record_event(OutboxEntry.Event.GAME_ENDED, instance.pk)
    if stored is not None and not deleted and not _matters(stored, instance):
        return
    places = [
        place
        for place in (stored.place if stored else None, None if deleted else instance.place)
        if place is not None
    ]
    notebook = pending.get()
    if notebook is not None:
        for place in places:
            notebook.add(*place)
    elif (
        not deleted
        # New, or in progress until now: it has no line yet.
        and (stored is None or (isinstance(stored, Game) and stored.ended_at is None))
        and places
        and replay.append(instance, places[0])
    ):
        return
    elif places:
        cause = Cause.GAME if isinstance(instance, Game) else Cause.FACTS
        origin = origin_of(instance) if isinstance(instance, Game) else {}
        replay.replay_since(Pending.of(places), cause=cause, origin=origin)


def _matters(stored: Input, instance: Input) -> bool:
    """Return whether the two differ in a field that decides ratings."""
    return any(
        field.value_from_object(stored) != field.value_from_object(instance)
        for field in instance._meta.concrete_fields
        if field.name in instance.RATING_FIELDS
    )
