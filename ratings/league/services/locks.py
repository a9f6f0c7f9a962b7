"""Locks of the league."""

from __future__ import annotations

from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper

from ratings.office.locks import lock_alone

_LOCK: Final = -3


def lock_league(connection: BaseDatabaseWrapper) -> None:
    """Wait until nobody else stores rounds of a league or closes its cycles."""
    lock_alone(connection, _LOCK)
