"""Marks tasks that can run again after their worker was lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.utils.module_loading import import_string

F = TypeVar("F", bound=Callable[..., Any])


def repeatable(task: F) -> F:
    """Mark a task that may run twice, even at the same time: the second run changes nothing more.

    The lost worker may have finished the task, or may only be disconnected and still be running it.
    """
    vars(task)["is_repeatable"] = True
    return task


def is_repeatable(path: str) -> bool:
    """Return whether the task at this path is marked as repeatable; False if it no longer exists."""
    try:
        return getattr(import_string(path).func, "is_repeatable", False)
    except ImportError:
        return False
