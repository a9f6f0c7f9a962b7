"""What the worker does by itself, hour by hour: what becomes due because time passes.

The queue is asked for it: each time it is done, the next time is asked for. So nothing is done while no
worker runs, and it is made up for when one is started.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, TypeVar

from django.utils import timezone
from django_tasks import TaskResultStatus, task
from django_tasks_db.models import DBTaskResult

_EVERY: Final = timedelta(hours=1)

_logger: Final = logging.getLogger(__name__)

Due = Callable[[datetime], object]
"""Does what is due at a moment, and nothing where nothing is: it may be called at any time."""

_DUE: Final[list[Due]] = []

D = TypeVar("D", bound=Due)


def hourly(due: D) -> D:
    """Let the worker call this about once an hour."""
    _DUE.append(due)
    return due


@task()
def upkeep() -> None:
    """Do what is due, each of it whatever becomes of the others, and ask for the next time."""
    for due in _DUE:
        try:
            due(timezone.now())
        except Exception:
            _logger.exception("%s.%s failed", due.__module__, due.__name__)
    done = DBTaskResult.objects.filter(task_path=upkeep.module_path, status=TaskResultStatus.SUCCESSFUL)
    done.delete()
    ask_for_upkeep(timezone.now() + _EVERY)


def ask_for_upkeep(at: datetime | None = None) -> None:
    """Ask for it at a moment, now if none is given, unless it is asked for already."""
    if not DBTaskResult.objects.filter(task_path=upkeep.module_path, status=TaskResultStatus.READY).exists():
        upkeep.using(run_after=at).enqueue()
