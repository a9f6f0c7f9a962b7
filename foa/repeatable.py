"""Which tasks of the worker may be done again where a worker was lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.utils.module_loading import import_string

F = TypeVar("F", bound=Callable[..., Any])


def repeatable(task: F) -> F:
    """Mark a task that may be done twice, even at the same time: the second time changes nothing more.

    The worker that was lost may have done all of it, or may only have been cut off and still be at it.
    """
    vars(task)["is_repeatable"] = True
    return task


def is_repeatable(path: str) -> bool:
    """Whether the task at this path is marked so; one that is gone isn't."""
    try:
        return getattr(import_string(path).func, "is_repeatable", False)
    except ImportError:
        return False
