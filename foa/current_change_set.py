"""The decision under way, so that ledger, outbox and histories can name its change set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple


class _Decision(NamedTuple):
    """A decision under way. ``change_set``: its id; None in a preview."""

    change_set: int | None


_UNDER_WAY: Final[ContextVar[_Decision | None]] = ContextVar("decision_under_way", default=None)
"""None while facts are entered."""


def change_set_under_way() -> int | None:
    """Return the id of the change set being applied; None while facts are entered, and in a preview."""
    decision = _UNDER_WAY.get()
    return decision and decision.change_set


def is_deciding() -> bool:
    """Return whether a decision is being applied or previewed, rather than facts entered."""
    return _UNDER_WAY.get() is not None


@contextmanager
def deciding(change_set: int | None) -> Iterator[None]:
    """Mark the block as applying this change set, or as a preview (None)."""
    token = _UNDER_WAY.set(_Decision(change_set))
    try:
        yield
    finally:
        _UNDER_WAY.reset(token)
