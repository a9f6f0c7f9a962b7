"""The state and the version of a game, by which its server compares its games with those of the office."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import reduce
from hashlib import sha256
from typing import Any, Final

from django.db.models import Q

from foa.text import utc_text
from ratings.rbb.models import Game
from ratings.rbb.same_game import POSSIBLY_SAME

_ENDED: Final = Q(ended_at__isnull=False, voided_at=None)

STATES: Final[Mapping[str, Q]] = {
    "playing": Q(ended_at=None, voided_at=None),
    "rated": _ENDED & Q(rated=True),
    "unrated": _ENDED & Q(rated=False) & ~Q(unrated_reason=POSSIBLY_SAME),
    "possibly-same": _ENDED & Q(rated=False, unrated_reason=POSSIBLY_SAME),
    "void": Q(voided_at__isnull=False),
}
"""Conditions of the states. Each game has one."""

STATE_READS: Final = ("voided_at", "ended_at", "rated", "unrated_reason")

VERSION_READS: Final = (
    *("white__username", "black__username", "time_control__initial", "time_control__increment"),
    *("time_control__written", "started_at", "rated", "unrated_reason", "result", "ended_at", "termination"),
    *("termination_word", "plies", "pgn", "voided_at", "void_reason", "event__external_id", "event__name"),
    *("event__url", "round", "url", "variant"),
)
"""Paths to everything that a server can send of a game, and to what the office has decided about it."""


def state_of(voided_at: datetime | None, ended_at: datetime | None, rated: bool, why: str) -> str:
    """Return the one of STATES in which a game is."""
    if voided_at is not None:
        return "void"
    if ended_at is None:
        return "playing"
    if rated:
        return "rated"
    return "possibly-same" if why == POSSIBLY_SAME else "unrated"


def version_of_game(*values: Any) -> str:
    """Return a text that differs whenever one of these values of VERSION_READS does."""
    told = "\0".join(utc_text(one) if isinstance(one, datetime) else str(one) for one in values)
    return sha256(told.encode()).hexdigest()[:16]


def version_as_stored(game: Game) -> str:
    """Return the version of a game that was read with its names."""
    return version_of_game(*(reduce(_part, path.split("__"), game) for path in VERSION_READS))


def _part(value: Any, name: str) -> Any:
    return None if value is None else getattr(value, name)
