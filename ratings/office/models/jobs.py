"""Jobs: work that staff ask for and the worker does."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.office.fields import user_field


class Job(models.Model):
    """Work that takes too long for a page: who asked for it, its state and its outcome.

    Its texts are in the language of whoever asked. The progress is in the cache ``progress``.
    """

    class State(models.TextChoices):
        """The state of a job, as its worker last recorded it."""

        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        STOPPED = "stopped", _("stopped")

    title = models.CharField(_("what"), max_length=200)
    state = models.CharField(_("state"), max_length=7, choices=State.choices, default=State.WAITING)
    asked_by = user_field(_("requested by"), db_index=False)
    asked_at = models.DateTimeField(_("requested at"))
    began_at = models.DateTimeField(_("started at"), null=True)
    ended_at = models.DateTimeField(_("ended at"), null=True)
    outcome = models.JSONField(
        _("outcome"), default=list, help_text=_("Sentences, each with links: labels and addresses.")
    )
    error = models.TextField(_("error"), blank=True, help_text=_("Why it failed, in plain words."))
    language = models.CharField(_("language"), max_length=10)
    retried_as = models.OneToOneField(
        "self",
        null=True,
        on_delete=models.SET_NULL,
        related_name="retries",
        verbose_name=_("restarted as"),
    )
    request_id = models.CharField(
        _("request"),
        max_length=64,
        default="",
        db_default="",
        help_text=_("ID of the request that started this job. Also in the log."),
    )
    task = models.UUIDField(_("task"), unique=True, help_text=_("Its place in the queue of django-tasks-db."))

    class Meta:
        db_table = "ratings_job"
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        ordering = ("-pk",)
        permissions = [("steer_job", _("Can stop and restart jobs"))]
        indexes = [
            # Serves the waiting and running jobs, which every worker checks when it starts.
            models.Index(
                fields=["state"], condition=models.Q(state__in=("waiting", "running")), name="job_open"
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def has_failed(self) -> bool:
        """Return True if it ended before it was done."""
        return self.state in (Job.State.FAILED, Job.State.STOPPED)
