"""What the worker does for the office."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django_tasks import TaskContext, task

from foa.repeatable import repeatable
from ratings.office.audit import Check, audit
from ratings.office.deciding import StaleError, apply_waiting
from ratings.office.effects import Effect
from ratings.office.importing import rehearse
from ratings.office.jobs import running
from ratings.office.models import ChangeSet, FileImport, Rehearsal
from ratings.office.rehearsing import rehearse as rehearse_waiting


@task(takes_context=True)
@repeatable
def apply_change_set(context: TaskContext, change_set: int) -> None:
    """Apply a change set as it was shown, or not at all."""
    with running(context) as work:
        waiting = ChangeSet.objects.filter(pk=change_set).first()
        if waiting is None:
            raise ValidationError(gettext("The change set no longer exists."))
        if waiting.state == ChangeSet.State.APPLIED and waiting.job_id == work.job.pk:
            return  # By a worker that was lost after that.

        def tell(effect: Effect) -> None:
            for text, links in effect.outcome:
                work.add(text, *links)

        try:
            apply_waiting(waiting, work.tell, tell)
        except StaleError as stale:
            differing = [
                gettext("%(label)s: shown %(shown)s, now %(now)s")
                % {"label": one.label, "shown": one.shown or "–", "now": one.now or "–"}
                for one in stale.differs
            ]
            raise ValidationError([str(stale), *differing]) from stale


@task(takes_context=True)
@repeatable
def rehearse_file(context: TaskContext, file_import: int) -> None:
    """Say what a file would do, and store nothing of it."""
    with running(context) as work:
        brought = FileImport.objects.select_related("change_set").filter(pk=file_import).first()
        if brought is None or not brought.may_be_dropped:
            raise ValidationError(gettext("The file was already applied or discarded."))
        FileImport.objects.filter(pk=file_import).update(job=work.job)
        work.tell(0, None, gettext("Checking the file."))
        rehearse(brought, work.tell)
        page = reverse("admin:office_fileimport_change", args=(brought.pk,))
        work.add(gettext("Nothing is stored yet."), (gettext("What the file would do"), page))


@task(takes_context=True)
@repeatable
def rehearse_decision(context: TaskContext, rehearsal: int) -> None:
    """Find out what a decision would do, and take it back."""
    with running(context) as work:
        asked = Rehearsal.objects.filter(pk=rehearsal).first()
        if asked is None:
            raise ValidationError(gettext("Nobody waits for this preview any more."))
        work.tell(0, None, gettext("Working out what it would do."))
        rehearse_waiting(asked, work.tell)
        page = f"{asked.address}?rehearsal={asked.pk}"
        work.add(gettext("Nothing is stored yet."), (gettext("What it would do"), page))


@task(takes_context=True)
@repeatable
def run_audit(context: TaskContext) -> None:
    """Hold everything stored against the rules."""
    with running(context) as work:

        def tell(done: int, total: int, check: Check) -> None:
            work.tell(done, total, str(check.title))

        found = sum(audit(tell=tell).open.values())
        told = ngettext("%(found)d open finding.", "%(found)d open findings.", found) % {"found": found}
        work.add(told, (gettext("Findings"), reverse("admin:office_auditfinding_changelist")))
