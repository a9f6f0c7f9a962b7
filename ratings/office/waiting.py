"""Work due at the office whatever the rule book: decisions, findings, files, jobs, the worker."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Count, Min
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.account.factors import factors
from foa.monitoring.health import is_worker_alive
from foa.text import utc
from ratings.office.decision_types import kind_of
from ratings.office.due import ClosingStep, Due, Looked, finds_due, looks_at
from ratings.office.jobs import is_lost
from ratings.office.models import AuditedCheck, AuditFinding, ChangeSet, FileImport, Job
from ratings.office.upkeep import waiting_since

_FAILED: Final = timedelta(days=7)
"""Time for which the desk shows a failed job."""

_PATIENCE: Final = timedelta(minutes=10)
"""Time that the queue may wait while the worker is busy."""


@finds_due(_("My login"), "")
def second_factor(user: Any, now: datetime) -> Iterator[Due]:
    """Ask for a second factor: with it, a stolen password isn't enough to move ratings."""
    if not factors(user):
        yield Due(
            text=gettext("You haven’t set up a second factor: anyone with your password could log in as you"),
            button=gettext("Set one up"),
            link=f"{reverse('account')}#factors",
            mine=True,
        )


@finds_due(_("Decisions"), "office.view_changeset")
def change_sets(user: Any, now: datetime) -> Iterator[Due]:
    """Yield other people's change sets that wait for a second person, for users who may decide them."""
    waiting = ChangeSet.objects.filter(state=ChangeSet.State.PROPOSED).select_related("proposed_by")
    for one in waiting.order_by("pk"):
        link = reverse("admin:office_changeset_change", args=(one.pk,))
        if one.proposed_by_id != user.pk and user.has_perm(kind_of(one.kind).permission):
            named = {"decision": one.for_staff, "who": one.proposed_by or one.proposed_as}
            text = gettext("%(who)s asks you to confirm: %(decision)s") % named
            yield Due(text=text, button=gettext("Review"), link=link, at=one.proposed_at, mine=True)


@finds_due(_("Audit"), "office.accept_auditfinding", step=ClosingStep.AUDIT)
def findings(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the number of findings that nobody has accepted, and checks that never ran."""
    link = reverse("admin:office_auditfinding_changelist")
    if not AuditedCheck.objects.exists():
        text = gettext("The audit has not been run yet")
        yield Due(text=text, button=gettext("Run the audit"), link=link)
    found = AuditFinding.objects.open()
    if number := found.count():
        text = ngettext("%d audit finding is open", "%d audit findings are open", number)
        first = found.order_by("found_at").values_list("found_at", flat=True).first()
        yield Due(text=text % number, button=gettext("Review the findings"), link=link, at=first)


@looks_at(ClosingStep.AUDIT)
def audited(month: datetime, now: datetime) -> Looked:
    """Say when the audit last looked at everything. It has to run after the month has begun."""
    looked = AuditedCheck.objects.aggregate(number=Count("pk"), oldest=Min("looked_at"))
    if not looked["number"]:
        return Looked(False, gettext("The audit has never run."))
    text = ngettext(
        "%(number)d check, last run %(at)s: no open findings.",
        "%(number)d checks, last run %(at)s: no open finding.",
        looked["number"],
    )
    words = {"number": looked["number"], "at": utc(looked["oldest"])}
    return Looked(looked["oldest"] >= month, text % words)


@finds_due(_("Import files"), "office.view_fileimport")
def files(user: Any, now: datetime) -> Iterator[Due]:
    """Yield this person's own files that they have neither applied nor dropped."""
    brought = FileImport.objects.filter(brought_by=user, change_set=None, dropped_at=None)
    for one in brought.exclude(shown={}).order_by("pk"):
        yield Due(
            text=gettext("The file %(file)s is waiting: apply or discard it") % {"file": one},
            button=gettext("Open the file"),
            link=reverse("admin:office_fileimport_change", args=(one.pk,)),
            at=one.brought_at,
            mine=True,
        )


@finds_due(_("Jobs"), "office.view_job")
def jobs(user: Any, now: datetime) -> Iterator[Due]:
    """Yield recent jobs that failed or lost their worker, unless somebody has repeated them.

    Each goes to the person who asked for it, and to those who may repeat it.
    """
    ended = Job.objects.filter(state=Job.State.FAILED, ended_at__gt=now - _FAILED, retried_as=None)
    running = Job.objects.filter(state__in=(Job.State.WAITING, Job.State.RUNNING)).order_by("pk")
    may_steer = user.has_perm("office.steer_job")
    for job in (*ended.order_by("-pk"), *(one for one in running if is_lost(one))):
        mine = job.asked_by_id == user.pk
        if mine or may_steer:
            yield Due(
                text=gettext("Failed: %(job)s") % {"job": job},
                button=gettext("See why"),
                link=reverse("admin:office_job_change", args=(job.pk,)),
                at=job.ended_at or job.asked_at,
                mine=mine,
            )


@finds_due(_("Jobs"), "office.view_job")
def worker(user: Any, now: datetime) -> Iterator[Due]:
    """Yield an entry if no worker runs, or if the queue waits although one does."""
    link = f"{reverse('admin:office_job_changelist')}?{urlencode({'state__exact': Job.State.WAITING})}"
    since = waiting_since(now)
    if not is_worker_alive():
        text = gettext(
            "No worker is running, so jobs and messages are waiting. Ask the site’s administrator to "
            "start one."
        )
        yield Due(text=text, button=gettext("See the queue"), link=link, at=since)
    elif since is not None and since < now - _PATIENCE:
        text = gettext("The oldest job has waited for more than %d minutes.") % (_PATIENCE.seconds // 60)
        yield Due(text=text, button=gettext("See the queue"), link=link, at=since)
