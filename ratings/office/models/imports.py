"""Files that staff upload, until they are applied or dropped."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.office.fields import user_field
from ratings.office.models.change_sets import ChangeSet
from ratings.office.models.jobs import Job


class FileImport(models.Model):
    """A file that somebody uploaded, with what the worker found in it and what happened to it.

    ``parameters`` are those of the form of its kind, with the name of the kept file. ``report`` is what was
    found row by row. ``shown`` is the effect that applying it must have, empty if there is nothing to apply.
    """

    kind = models.CharField(_("kind"), max_length=40)
    parameters = models.JSONField(_("parameters"), default=dict)
    source = models.CharField(_("file"), max_length=255)
    brought_by = user_field(_("uploaded by"), db_index=False)
    brought_at = models.DateTimeField(_("brought at"))
    job = models.OneToOneField(
        Job, null=True, on_delete=models.SET_NULL, related_name="+", verbose_name=_("rehearsal")
    )
    report = models.JSONField(_("report"), default=dict)
    refusals = models.CharField(_("kept file of the refused rows"), max_length=32, blank=True)
    shown = models.JSONField(_("effect as shown"), default=dict)
    change_set = models.OneToOneField(
        ChangeSet,
        null=True,
        on_delete=models.SET_NULL,
        related_name="file_import",
        verbose_name=_("change set"),
    )
    dropped_at = models.DateTimeField(_("discarded at"), null=True)

    class Meta:
        verbose_name = _("imported file")
        verbose_name_plural = _("import files")
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.source

    @property
    def is_applied(self) -> bool:
        """Return True if it is stored, or waits for the worker or a second person."""
        states = ChangeSet.State
        waits_or_done = (states.PROPOSED, states.QUEUED, states.APPLIED)
        return self.change_set is not None and self.change_set.state in waits_or_done

    @property
    def is_looked_at(self) -> bool:
        """Return True while the worker has yet to report what is in it."""
        return self.job is not None and self.job.state in (Job.State.WAITING, Job.State.RUNNING)

    @property
    def is_ready(self) -> bool:
        """Return True if it can be applied."""
        return bool(self.shown) and self.change_set is None and self.dropped_at is None

    @property
    def may_be_dropped(self) -> bool:
        """Return True if nothing of it is stored or about to be."""
        return self.dropped_at is None and not self.is_applied

    @property
    def standing(self) -> Any:
        """Return its state in words."""
        if self.dropped_at is not None:
            return _("discarded")
        if self.change_set is not None:
            return self.change_set.get_state_display()
        if self.is_ready:
            return _("ready to be applied")
        if self.is_looked_at:
            return _("waits for the worker")
        return _("nothing to apply") if self.report else _("failed")
