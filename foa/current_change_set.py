"""The change set being applied, so that ledger, outbox and histories can name it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_CHANGE_SET: Final[ContextVar[int | None]] = ContextVar("change_set", default=None)
_DECIDING: Final[ContextVar[bool]] = ContextVar("deciding", default=False)


def change_set_under_way() -> int | None:
    """Return the id of the change set being applied; None while facts are entered, and in a preview."""
    return _CHANGE_SET.get()


def is_deciding() -> bool:
    """Return whether a decision is being applied or previewed, rather than facts entered."""
    return _DECIDING.get()


@contextmanager
def deciding() -> Iterator[None]:
    """Mark the block as applying or previewing a decision."""
    token = _DECIDING.set(True)
    try:
        yield
    finally:
        _DECIDING.reset(token)


@contextmanager
def applying(change_set: int) -> Iterator[None]:
    """Mark the block as applying this change set."""
    token = _CHANGE_SET.set(change_set)
    try:
        yield
    finally:
        _CHANGE_SET.reset(token)
