"""Details of games as reported by arenas: events, addresses, variants. The latest report is stored."""

from __future__ import annotations

from typing import Any

from ratings.formats.game_address import key_of_game
from ratings.formats.game_details import Details, EventOfGame
from ratings.formats.problems import Fault
from ratings.rbb.models.events import ArenaEvent
from ratings.rbb.models.games import Game
from ratings.rules.rbb.conditions import why_not_standard
from ratings.rules.rbb.variants import STANDARD


class DetailsError(Exception):
    """An error for a game reported with a different variant than it was rated or first reported with."""

    field = "variant"

    def __init__(self, stored: str, sent: str) -> None:
        self.stored, self.sent = stored or "standard", sent or "standard"
        super().__init__(f"variant: the stored game is {self.stored}, and {self.sent} is sent")

    @property
    def fault(self) -> Fault:
        """The fault with its field and text."""
        return Fault(self.field, str(self), "RBB 1.1")


def columns_of(details: Details, event: int | None) -> dict[str, Any]:
    """Return the columns of a new game with these details; ``event``: the key of its event."""
    return {"event_id": event, "round": details.round, "url": details.url, "variant": details.variant}


def keep_event(event: EventOfGame | None) -> int | None:
    """Store an event as reported now; return its key, or None without an event."""
    if event is None:
        return None
    told = {"name": event.name} | ({"url": event.url} if event.url else {})
    events = ArenaEvent.objects
    stored, is_new = events.get_or_create(external_id=event.id, defaults=told)
    if not is_new and any(getattr(stored, name) != value for name, value in told.items()):
        events.filter(pk=stored.pk).update(**told)
    return stored.pk


def tells_other_variant(stored: str, told: Details) -> bool:
    """Return True if a variant is reported that differs from the stored one."""
    is_told = told.variant != STANDARD or told.says_standard
    return is_told and told.variant != stored


def check_variant(stored: str, told: Details, *, counts: bool) -> None:
    """Raise DetailsError if a game can't be of the reported variant; ``counts``: it is rated and over."""
    if (stored != STANDARD or counts) and tells_other_variant(stored, told):
        raise DetailsError(stored, told.variant)


def take_details(stored: Any, told: Details, event: int | None) -> bool:
    """Store the reported details of a game and keep the others. Return True if any are new.

    ``stored``: the game, or its columns as they are stored. ``event``: the key of the reported event. A game
    in progress of another variant becomes unrated.
    """
    columns = {name: value for name, value in columns_of(told, event).items() if value}
    if event is not None and event != stored.event_id:
        columns["round"] = told.round
    changed = {name: value for name, value in columns.items() if value != getattr(stored, name)}
    if "url" in changed:
        changed["address"] = key_of_game(told.url, stored.external_id)
    if "variant" in changed and stored.rated:
        game = Game.objects.get(pk=stored.pk)
        game.variant, game.rated = told.variant, False
        game.unrated_reason = why_not_standard(told.variant)
        game.save()
    if changed:
        Game.objects.filter(pk=stored.pk).update(**changed)
    return bool(changed)
