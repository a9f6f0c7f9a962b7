"""Jobs of the worker: requested, running, ended, or abandoned by a worker that is gone.

The queue is that of django-tasks-db, in the site's database. The progress of a job is noted in the cache
``progress``, because a job may hold SQLite's only lock from beginning to end, and an open transaction can't
be read by anybody else. A running job renews its note every second, so a job without a note has lost its
worker. Other tasks have no notes: there, the worker itself gives signs of life.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Any, Final, NamedTuple

from django.contrib.admin.models import LogEntry
from django.core.cache import caches
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model
from django.dispatch import receiver
from django.utils import timezone, translation
from django.utils.module_loading import import_string
from django.utils.translation import gettext
from django_tasks import TaskContext, TaskResultStatus
from django_tasks.base import Task
from django_tasks.signals import task_finished
from django_tasks_db.models import DBTaskResult

from foa.locking import lock_row
from foa.monitoring.health import is_worker_alive
from foa.monitoring.logs import request_id
from foa.repeatable import is_repeatable
from ratings.office.models.jobs import Job
from ratings.office.upkeep import beside_jobs, do
from ratings.office.uploads import discard_leftovers, is_kept

_BEAT: Final = 1.0
"""Seconds between two notes."""

_SILENCE: Final = 30
"""Seconds after which a note expires, and the worker that should have renewed it counts as lost."""

_SETTLE_EVERY: Final = 10
"""Seconds between two checks for lost workers; every worker checks beside its jobs."""

_WORKERS: Final = 3
"""Attempts before a task that kills its worker, perhaps by lack of memory, is given up."""

_logger: Final = logging.getLogger(__name__)


class Progress(NamedTuple):
    """The progress of a job. ``total``: None if nobody can say how much there is to do."""

    done: int
    total: int | None
    doing: str


class StoppedError(Exception):
    """Somebody has stopped the job. The current step is rolled back."""


class Work:
    """A running job: it reports its progress and its outcome here."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._progress = Progress(0, None, "")
        self._is_stopped = False

    def tell(self, done: int, total: int | None = None, doing: str = "") -> None:
        """Report progress. It is noted once a second, so this may be called for every row of a file.

        Raises StoppedError after somebody has stopped the job.
        """
        self._progress = Progress(done, total, doing)
        if self._is_stopped:
            raise StoppedError

    def add(self, text: str, *links: tuple[str, str]) -> None:
        """Add a sentence to the outcome, with labels and addresses of what it mentions.

        Call it in the transaction that does what it says, so that both are stored or neither.
        """
        self.job.refresh_from_db(fields=["outcome"])
        self.job.outcome.append({"text": str(text), "links": [(str(label), to) for label, to in links]})
        self.job.save(update_fields=["outcome"])

    def log(self, what: Model, flag: int) -> None:
        """Log in the admin history of an object that this job added or changed it.

        Nothing is logged if nobody asked for the job.
        """
        if by := self.job.asked_by:
            LogEntry.objects.log_actions(by.pk, [what], flag, change_message=self.job.title)

    def note(self) -> None:
        """Write the progress to the cache, and check there whether somebody has stopped the job.

        If the cache can't be reached, the job goes on and the next note is tried.
        """
        try:
            caches["progress"].set(_key(self.job), tuple(self._progress), timeout=_SILENCE)
            self._is_stopped = caches["progress"].get(_stop_key(self.job)) is not None
        except Exception:
            _logger.exception("the progress of job %d could not be noted", self.job.pk)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note the progress every second, from a thread because a single statement may take long."""
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
    """Queue a job: ``task`` with these arguments, which must be JSON, once this transaction is committed."""
    with transaction.atomic():
        return Job.objects.create(
            title=title,
            asked_by=by,
            asked_at=timezone.now(),
            language=translation.get_language(),
            request_id=request_id.get(),
            task=task.enqueue(**arguments).id,
        )


@contextmanager
def running(context: TaskContext) -> Iterator[Work]:
    """Run a job in this context.

    The job is done if nothing is raised; a ValidationError says why it can't be done. Any other exception
    goes to the worker's log, and whoever asked for the job only reads that it failed.
    """
    do(settle)
    job = Job.objects.get(task=context.task_result.id)
    request_id.set(job.request_id)
    work = Work(job)
    ended_as = Job.State.FAILED
    with translation.override(job.language):
        try:
            with work.noting():
                job.state, job.began_at = Job.State.RUNNING, timezone.now()
                job.save(update_fields=["state", "began_at"])
                yield work
        except ValidationError as refusal:
            job.error = "\n".join(refusal.messages)
        except StoppedError:
            ended_as = Job.State.STOPPED
            job.error = gettext("The job was stopped. Only what is listed here was stored.")
        except Exception:
            job.error = gettext(
                "The job failed. Only what is listed here was stored. See the worker’s log for details."
            )
            raise
        except BaseException:
            job.error = why_lost()
            raise
        finally:
            job.state, job.ended_at = (ended_as if job.error else Job.State.DONE), timezone.now()
            job.save(update_fields=["state", "ended_at", "error"])
            # Not earlier: a running job without a note counts as lost.
            do(caches["progress"].delete_many, [_key(job), _stop_key(job)])


@receiver(task_finished)
def forget_request(**kwargs: Any) -> None:
    """Clear the request id after a task. Log lines so far, such as the fault of a job, name its request."""
    request_id.set("")


def stop(job: Job) -> bool:
    """Remove a waiting job from the queue, or tell its worker to stop. Return False if it ends at once.

    A worker stops the next time it reports progress. Raises ValidationError for a job that has ended.
    """
    with transaction.atomic():
        if DBTaskResult.objects.filter(pk=job.task, status=TaskResultStatus.READY).delete()[0]:
            stopped = gettext("The job was stopped before it started.")
            now = timezone.now()
            Job.objects.filter(pk=job.pk).update(state=Job.State.STOPPED, ended_at=now, error=stopped)
            return False
    job.refresh_from_db(fields=["state"])
    if job.state not in (Job.State.WAITING, Job.State.RUNNING):
        raise ValidationError(gettext("The job has already ended."))
    caches["progress"].set(_stop_key(job), True, timeout=None)
    return True


def retry(job: Job, by: Any) -> Job:
    """Queue a failed or stopped job again. Raises ValidationError if that isn't possible."""
    with transaction.atomic():
        locked = lock_row(Job.objects, job.pk)
        asked = DBTaskResult.objects.filter(pk=locked.task).first()
        if not locked.has_failed or locked.retried_as_id is not None or hasattr(locked, "change_set"):
            raise ValidationError(gettext("This job can’t be restarted."))
        arguments = {} if asked is None else asked.args_kwargs["kwargs"]
        if asked is None or not is_kept(arguments.get("upload")):
            raise ValidationError(
                gettext("Something the job needs was deleted. Start it again from its page.")
            )
        again = enqueue(import_string(asked.task_path), title=locked.title, by=by, **arguments)
        locked.retried_as = again
        locked.save(update_fields=["retried_as"])
    return again


def progress_of(job: Job) -> Progress | None:
    """Return the progress of a running job, seconds old at most; None if no worker reports it.

    If the cache can't be reached, return a progress that says nothing.
    """
    try:
        note = caches["progress"].get(_key(job))
    except Exception:
        _logger.exception("the progress of job %d can’t be read", job.pk)
        return Progress(0, None, "")
    return None if note is None else Progress(*note)


def is_lost(job: Job) -> bool:
    """Return True if the worker that took this job is gone: it was killed, or its machine stopped."""
    if job.state not in (Job.State.WAITING, Job.State.RUNNING) or progress_of(job) is not None:
        return False
    task = DBTaskResult.objects.filter(pk=job.task).first()
    if task is not None and (task.status == TaskResultStatus.READY or task.started_at is None):
        return False
    if task is not None and timezone.now() - task.started_at < timedelta(seconds=_SILENCE):
        return False
    # The job may have ended between the two look-ups.
    job.refresh_from_db(fields=["state", "ended_at", "error", "outcome"])
    return job.state in (Job.State.WAITING, Job.State.RUNNING)


def standing_of(job: Job | None) -> dict[str, Any]:
    """Return what pages show of a job: ``job``, ``error``, ``progress``, and ``is_open`` until it ends."""
    if job is None:
        return {"job": None, "error": "", "progress": None, "is_open": False}
    lost = is_lost(job)
    return {
        "job": job,
        "error": why_lost() if lost else job.error,
        "progress": progress_of(job) if job.state == Job.State.RUNNING else None,
        "is_open": job.state in (Job.State.WAITING, Job.State.RUNNING) and not lost,
    }


@beside_jobs
def settle_now_and_then(at: datetime) -> None:
    """Check for jobs abandoned by other workers every few seconds, also during a long job."""
    if at.second % _SETTLE_EVERY == 0:
        settle()


def settle() -> None:
    """Return abandoned tasks to the queue if they may be repeated (foa.repeatable).

    All others are marked as failed, here and in the queue, which wasn't told that they ended. Their uploaded
    files are deleted.
    """
    for job in Job.objects.filter(state__in=(Job.State.WAITING, Job.State.RUNNING)):
        if is_lost(job):
            with transaction.atomic(), translation.override(job.language):
                asked = DBTaskResult.objects.select_for_update().filter(pk=job.task).first()
                if not is_lost(job):
                    continue  # another worker was quicker
                if asked is not None and _is_queued_again(asked):
                    job.state, job.began_at = Job.State.WAITING, None
                else:
                    job.state, job.ended_at, job.error = Job.State.FAILED, timezone.now(), why_lost()
                job.save(update_fields=["state", "began_at", "ended_at", "error"])
    earlier = timezone.now() - timedelta(seconds=_SILENCE)
    for asked in DBTaskResult.objects.running().filter(started_at__lt=earlier):
        is_there = any(map(is_worker_alive, asked.worker_ids[-1:]))
        if not is_there and not Job.objects.filter(task=asked.pk).exists():
            _is_queued_again(asked)
    discard_leftovers()


def _is_queued_again(asked: DBTaskResult[..., None]) -> bool:
    """Return an abandoned task to the queue, or mark it as failed there. True if it is queued again."""
    again = (
        len(asked.worker_ids) < _WORKERS
        and is_repeatable(asked.task_path)
        and is_kept(asked.args_kwargs["kwargs"].get("upload"))
    )
    # Unless another worker has done so already, or has even started the task.
    left = DBTaskResult.objects.running().filter(pk=asked.pk, started_at=asked.started_at)
    if again:
        left.update(status=TaskResultStatus.READY, started_at=None)
    else:
        left.update(status=TaskResultStatus.FAILED, finished_at=timezone.now())
    return again


def why_lost() -> str:
    """Return the error message of a job whose worker was lost."""
    return gettext(
        "The worker stopped before the job was finished. Only what is listed here was stored. Start "
        "the job again."
    )


def _key(job: Job) -> str:
    return str(job.task)


def _stop_key(job: Job) -> str:
    return f"stop-{job.task}"
