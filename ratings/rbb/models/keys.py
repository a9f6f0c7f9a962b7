"""Keys of the projections, derived from what a row is about, so that a rebuild gives the same keys."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.rules.time_controls import Category

_KIND_SHIFT = 50
_RANK_SHIFT = 35


class EventType(models.IntegerChoices):
    """Kinds of events in the ledger, in the order in which events of the same moment are processed."""

    OPENING = 0, _("Starting rating")
    ADJUSTMENT = 1, _("Over-the-board adjustment")
    GAME = 2, _("Game")


def change_id(kind: EventType, event_id: int, black: bool = False, *, tie_rank: int = 0) -> int:
    """Return the key of a ledger row: its kind, the game's tie rank, its event, and White before Black.

    So an event has one row for each member, a rebuild gives every row the same key, and the order of events
    (moment, kind, tie rank, event) is the order of (occurred_at, id). ``event_id`` stays below 2**34 and
    ``tie_rank`` below 2**15, so the key stays below 2**53 and is exact in JavaScript as well.
    """
    return (kind << _KIND_SHIFT) + (tie_rank << _RANK_SHIFT) + 2 * event_id + black


def keys_of_kind(kind: EventType) -> range:
    """Return the range of keys for rows of this kind."""
    return range(kind << _KIND_SHIFT, (kind + 1) << _KIND_SHIFT)


def kind_of(row_id: int) -> EventType:
    """Return the kind of this row's event."""
    return EventType(row_id >> _KIND_SHIFT)


def event_key(row_id: int) -> int:
    """Return the key of the first row of this row's event: White's, if it is a game."""
    return row_id & ~1


def event_id(row_id: int) -> int:
    """Return the id of the input that is this row's event."""
    return (row_id & ((1 << _RANK_SHIFT) - 1)) >> 1


def tie_rank_of(row_id: int) -> int:
    """Return the tie rank of the game of this row; 0 for other events."""
    return (row_id & ((1 << _KIND_SHIFT) - 1)) >> _RANK_SHIFT


def is_black(row_id: int) -> bool:
    """Return whether a game's row is Black's; the other player's key differs only in this bit."""
    return bool(row_id & 1)


def rating_id(member_id: int, category: Category) -> int:
    """Return the key of a member's ``Rating`` row in a category."""
    return 4 * member_id + category
