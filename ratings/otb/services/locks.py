"""Locks over the board."""

from __future__ import annotations

from typing import Final

from ratings.office.locks import lock_alone

_LOCK: Final = -2


def lock_tournaments() -> None:
    """Wait until no other transaction receives a report or closes a period over the board."""
    lock_alone(_LOCK)
