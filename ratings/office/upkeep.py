"""Work that the worker does by itself as time passes: once an hour, or every second beside its jobs.

The hourly work is a task in the queue; each run queues the next. So nothing happens while no worker runs, and
it is caught up when one starts. Work that can't wait for a long job to end runs in a thread of the worker. It
isn't in the queue, because a commit every second would outdate every page cached for visitors.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from threading import Event, Thread
from typing import Any, Final, TypeVar

from django.conf import settings
from django.db import OperationalError, close_old_connections, connections
from django.db.models import Min, QuerySet
from django.utils import timezone
from django_tasks import TaskResultStatus, task
from django_tasks_db.models import DBTaskResult, get_date_max
from django_tasks_db.utils import is_locked_database_exception

from foa import db_errors, disks
from foa.mails import WITHIN
from foa.models import AskedMails
from foa.monitoring.health import give_sign_of_life
from foa.repeatable import repeatable

_EVERY: Final = timedelta(hours=1)
_PAUSE: Final = 1.0
"""Seconds between two runs beside the jobs."""

_DELETED: Final = 1000
"""Rows that are deleted at once."""

_logger: Final = logging.getLogger(__name__)

Due = Callable[[datetime], object]
"""Function that does what is due at a moment. It may be called at any time, also if nothing is due."""

_DUE: Final[list[Due]] = []
_BESIDE: Final[list[Due]] = []
_TOLD: Final[dict[str, str]] = {}
"""Reasons why a piece of work can't be done, by its name: each is said once, not every second."""

D = TypeVar("D", bound=Due)


def hourly(due: D) -> D:
    """Register a function that the worker calls about once an hour."""
    _DUE.append(due)
    return due


def beside_jobs(due: D) -> D:
    """Register a function that the worker calls about once a second, also during a job."""
    _BESIDE.append(due)
    return due


@hourly
def delete_expired_sessions(at: datetime) -> None:
    """Delete expired sessions, and records of mails that were requested more than an hour ago."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    AskedMails.objects.filter(since__lte=at - WITHIN).delete()


def waiting_since(now: datetime) -> datetime | None:
    """Return the time since which the oldest task has waited for the worker, or None if none waits."""
    waiting = DBTaskResult.objects.filter(status=TaskResultStatus.READY)
    asked = waiting.filter(run_after=get_date_max()).aggregate(first=Min("enqueued_at"))
    due = waiting.filter(run_after__lte=now).aggregate(first=Min("run_after"))
    return min((one["first"] for one in (asked, due) if one["first"]), default=None)


@contextmanager
def working_beside(worker: str) -> Iterator[None]:
    """Run the work beside the jobs in one thread, and give signs of life from another, within this context.

    The work beside the jobs may take a while. Leaving the context waits for its last run. ``worker``: its id.
    """
    ended = Event()

    def again(work: Callable[[], None]) -> None:
        while not ended.wait(_PAUSE):
            close_old_connections()
            work()
        connections.close_all()

    tell = partial(do, give_sign_of_life, worker)
    tell()
    threads = [
        Thread(target=again, args=[_work_beside], name="beside-jobs", daemon=True),
        Thread(target=again, args=[tell], name="signs-of-life", daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


class Lanes:
    """Threads beside the jobs of a worker, for each key one at a time: a slow one delays no other."""

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._busy: set[Hashable] = set()

    def start(self, key: Hashable, work: Callable[..., object], *arguments: object) -> None:
        """Begin to work, and don't wait for it, unless something is being done for this key."""
        if key not in self._busy:
            self._busy.add(key)
            self._pool.submit(self._run, key, work, *arguments)

    def _run(self, key: Hashable, work: Callable[..., object], *arguments: object) -> None:
        do(work, *arguments)
        connections.close_all()
        self._busy.discard(key)


def delete_in_pieces(rows: QuerySet[Any]) -> None:
    """Delete many rows, some at a time: SQLite has one lock."""
    while some := list(rows.values_list("pk", flat=True)[:_DELETED]):
        rows.model._base_manager.filter(pk__in=some).delete()


def _work_beside() -> None:
    for due in _BESIDE:
        do(due, timezone.now())


@task()
@repeatable
def upkeep() -> None:
    """Do everything that is due, each independently of the others, and queue the next run."""
    for due in _DUE:
        do(due, timezone.now())
    done = DBTaskResult.objects.filter(task_path=upkeep.module_path, status=TaskResultStatus.SUCCESSFUL)
    done.delete()
    ask_for_upkeep(timezone.now() + _EVERY)


def ask_for_upkeep(at: datetime | None = None) -> None:
    """Queue the upkeep for a moment (now for None), unless it is queued already."""
    if not DBTaskResult.objects.filter(task_path=upkeep.module_path, status=TaskResultStatus.READY).exists():
        upkeep.using(run_after=at).enqueue()


def do(what: Callable[..., object], *arguments: object) -> None:
    """Call a function whose failure must not stop what comes after it. Failures are logged.

    If a long job has SQLite's only lock, it is silently left for the next time. If the database can't be
    reached, or a disk is full, that is logged in one line, and not again until it has worked.
    """
    name = f"{what.__module__}.{what.__name__}"
    try:
        what(*arguments)
    except Exception as error:
        if isinstance(error, OperationalError) and is_locked_database_exception(error):
            return
        told = db_errors.told(error) if db_errors.passes(error) else disks.unusable(error)
        if told is None:
            _logger.exception("%s failed", name)
        elif told != _TOLD.get(name):
            _TOLD[name] = told
            _logger.warning("%s is left for the next time: %s", name, told)
    else:
        _TOLD.pop(name, None)
