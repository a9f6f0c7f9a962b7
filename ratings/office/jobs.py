"""Jobs done by the worker: asked for, under way, ended, or left behind by a worker that is gone.

The queue is that of django-tasks-db, in the database of the site. How far a job has come is noted in the
cache ``progress``: a job may hold SQLite's only lock from beginning to end, and nobody sees what an open
transaction has written. A running job renews its note every second, so one without has lost its worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import Any, Final, NamedTuple

from django.contrib.admin.models import LogEntry
from django.core.cache import caches
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model
from django.utils import timezone, translation
from django.utils.translation import gettext
from django_tasks import TaskContext, TaskResultStatus
from django_tasks.base import Task
from django_tasks_db.models import DBTaskResult

from ratings.office.models.jobs import Job
from ratings.office.uploads import discard_leftovers

_BEAT: Final = 1.0
"""Seconds from one note to the next."""

_SILENCE: Final = 30
"""Seconds after which a note is gone, and with it the worker that should have renewed it."""


class Progress(NamedTuple):
    """How far a job has come; ``total`` is None where nobody can say how much there is to do."""

    done: int
    total: int | None
    doing: str


class Work:
    """A job under way: here it tells how far it has come and what came of it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._progress = Progress(0, None, "")

    def tell(self, done: int, total: int | None = None, doing: str = "") -> None:
        """How far it has come. It is noted once a second, so this may be called for every row of a file."""
        self._progress = Progress(done, total, doing)

    def add(self, text: str, *links: tuple[str, str]) -> None:
        """A sentence of the outcome, with labels and addresses of what it speaks of.

        It belongs into the transaction that does what it says: both are stored or neither.
        """
        self.job.refresh_from_db(fields=["outcome"])
        self.job.outcome.append({"text": str(text), "links": [(str(label), to) for label, to in links]})
        self.job.save(update_fields=["outcome"])

    def log(self, what: Model, flag: int) -> None:
        """Note in the history of an object that this job added or changed it, if somebody asked for it."""
        if by := self.job.asked_by:
            LogEntry.objects.log_actions(by.pk, [what], flag, change_message=self.job.title)

    def note(self) -> None:
        """Say in the cache how far it has come."""
        caches["progress"].set(_key(self.job), tuple(self._progress), timeout=_SILENCE)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note the progress every second, from a thread: one long statement may be all there is to do."""
        ended = Event()

        def beat() -> None:
            while not ended.wait(_BEAT):
                self.note()

        thread = Thread(target=beat, daemon=True)
        self.note()
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def enqueue(task: Task[..., None], *, title: str, by: Any, **arguments: Any) -> Job:
    """Ask for a job: ``task`` with these arguments, which must be JSON, as soon as this is committed."""
    with transaction.atomic():
        return Job.objects.create(
            title=title,
            asked_by=by,
            asked_at=timezone.now(),
            language=translation.get_language(),
            task=task.enqueue(**arguments).id,
        )


@contextmanager
def running(context: TaskContext) -> Iterator[Work]:
    """Do a job in here. It is done if nothing is raised; a ValidationError says why it cannot be done.

    Anything else is a fault for the log of the worker, and whoever asked reads that there was one.
    """
    settle()
    job = Job.objects.get(task=context.task_result.id)
    work = Work(job)
    with translation.override(job.language):
        try:
            with work.noting():
                job.state, job.began_at = Job.State.RUNNING, timezone.now()
                job.save(update_fields=["state", "began_at"])
                yield work
        except ValidationError as refusal:
            job.error = "\n".join(refusal.messages)
        except Exception:
            job.error = gettext(
                "A fault ended it. What is listed here is stored, of the rest nothing."
                " The log of the worker says more."
            )
            raise
        except BaseException:
            job.error = why_lost()
            raise
        finally:
            job.state, job.ended_at = (Job.State.FAILED if job.error else Job.State.DONE), timezone.now()
            job.save(update_fields=["state", "ended_at", "error"])
            # Only now: a running job without a note is taken for lost.
            caches["progress"].delete(_key(job))


def progress_of(job: Job) -> Progress | None:
    """How far a running job has come, at most some seconds ago; None without a worker that says so."""
    note = caches["progress"].get(_key(job))
    return None if note is None else Progress(*note)


def is_lost(job: Job) -> bool:
    """Whether the worker that took this job is gone without a word: it was killed, or its machine stopped."""
    if job.state not in (Job.State.WAITING, Job.State.RUNNING) or progress_of(job) is not None:
        return False
    task = DBTaskResult.objects.filter(pk=job.task).first()
    if task is not None and (task.status == TaskResultStatus.READY or task.started_at is None):
        return False
    if task is not None and timezone.now() - task.started_at < timedelta(seconds=_SILENCE):
        return False
    # It may have ended between the two looks.
    job.refresh_from_db(fields=["state", "ended_at", "error", "outcome"])
    return job.state in (Job.State.WAITING, Job.State.RUNNING)


def settle() -> None:
    """Mark as failed what a worker has left behind, here and in the queue, which knows nothing of its end.

    Files that were uploaded for it are deleted.
    """
    for job in Job.objects.filter(state__in=(Job.State.WAITING, Job.State.RUNNING)):
        if is_lost(job):
            with transaction.atomic(), translation.override(job.language):
                now = timezone.now()
                job.state, job.ended_at, job.error = Job.State.FAILED, now, why_lost()
                job.save(update_fields=["state", "ended_at", "error"])
                DBTaskResult.objects.running().filter(pk=job.task).update(
                    status=TaskResultStatus.FAILED, finished_at=now
                )
    discard_leftovers()


def why_lost() -> str:
    """What is said of a job that ended with its worker."""
    return gettext(
        "The worker was stopped before the job was done. What is listed here is stored, of the rest nothing."
        " Ask for it again."
    )


def _key(job: Job) -> str:
    return str(job.task)
