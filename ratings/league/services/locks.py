"""Locks of the league."""

from __future__ import annotations

from typing import Final

from ratings.office.locks import lock_alone

_LOCK: Final = -3


def lock_league() -> None:
    """Wait until nobody else stores rounds of a league or closes its cycles."""
    lock_alone(_LOCK)
