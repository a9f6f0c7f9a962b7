"""Locks over the board."""

from __future__ import annotations

from typing import Final

from ratings.office.locks import lock_alone

_LOCK: Final = -2


def lock_tournaments() -> None:
    """Wait for whoever else receives a tournament report or closes a rating period over the board."""
    lock_alone(_LOCK)
