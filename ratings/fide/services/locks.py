"""Locks on FIDE's lists."""

from __future__ import annotations

from typing import Final

from ratings.office.locks import lock_alone

_LOCK: Final = -1


def lock_fide_lists() -> None:
    """Wait until no other import or announcement of a FIDE rating list is running."""
    lock_alone(_LOCK)
