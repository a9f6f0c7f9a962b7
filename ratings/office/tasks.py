"""Tasks that belong to no service."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django_tasks import TaskContext, task

from foa.repeatable import repeatable
from ratings.office.audit import Check, audit
from ratings.office.jobs import running


@task(takes_context=True)
@repeatable
def run_audit(context: TaskContext) -> None:
    """Check everything stored against the rules."""
    with running(context) as work:

        def tell(done: int, total: int, check: Check) -> None:
            work.tell(done, total, str(check.title))

        found = sum(audit(tell=tell).open.values())
        told = ngettext("%(found)d open finding.", "%(found)d open findings.", found) % {"found": found}
        work.add(told, (gettext("Findings"), reverse("admin:office_auditfinding_changelist")))
