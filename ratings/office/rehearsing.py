"""Previews of decisions that may take long. The worker makes them, as it does those of files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.context_processors import PermWrapper
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django_tasks import TaskContext, task

from foa.repeatable import repeatable
from ratings.office.deciding import Proposal, preview
from ratings.office.decision_types import kind_of
from ratings.office.effects import Effect
from ratings.office.jobs import enqueue, is_lost, running
from ratings.office.models import ChangeSet, Job, Rehearsal
from ratings.office.upkeep import hourly

KEPT: Final = timedelta(days=1)
"""Time for which a rehearsal without an open change set is kept."""


def ask_for_rehearsal(proposal: Proposal, address: str) -> Rehearsal:
    """Ask the worker for the preview of a decision. Return the rehearsal, or one that already waits.

    ``address``: the page of the decision.
    """
    parameters = {name: list(values) for name, values in proposal.parameters.items()}
    same = Rehearsal.objects.filter(
        kind=proposal.kind.name,
        undoes=proposal.undoes,
        asked_by=proposal.by,
        address=address,
        job__state__in=(Job.State.WAITING, Job.State.RUNNING),
    ).select_related("job")
    for one in same:
        if one.parameters == parameters and one.job is not None and not is_lost(one.job):
            return one
    with transaction.atomic():
        asked = Rehearsal.objects.create(
            kind=proposal.kind.name,
            parameters=parameters,
            undoes=proposal.undoes,
            asked_by=proposal.by,
            asked_at=timezone.now(),
            address=address,
        )
        # Only the kind, because everybody who may see jobs reads the title.
        title = gettext("Preview: %(decision)s") % {"decision": proposal.kind.title}
        asked.job = enqueue(rehearse_decision, title=title[:200], by=proposal.by, rehearsal=asked.pk)
        asked.save(update_fields=["job"])
    return asked


def rehearse(asked: Rehearsal, tell: Callable[..., None]) -> None:
    """Find out what a decision would do, and keep that for its page."""
    kind = kind_of(asked.kind)
    proposal = Proposal(kind=kind, parameters=asked.parameters, by=asked.asked_by, undoes=asked.undoes)
    try:
        effect = preview(proposal, tell=tell)
    except ValidationError as refusal:
        asked.faults = refusal.messages
    else:
        asked.shown, asked.button = effect.shown(), kind.confirm_label(effect)
        request = HttpRequest()
        request.user, request.path = asked.asked_by, asked.address
        asked.details = details_of(request, proposal, effect)
    asked.save(update_fields=["faults", "shown", "button", "details"])


def details_of(request: HttpRequest, proposal: Proposal, effect: Effect) -> SafeString:
    """Render the details of a preview as HTML, in the language of whoever asks."""
    if not proposal.kind.template:
        return SafeString("")
    form = proposal.kind.bind(proposal.parameters)
    title = proposal.kind.heading(form.cleaned_data) if form.is_valid() else proposal.kind.title
    context = {
        "form": form,
        "effect": effect,
        "result": effect.result,
        "title": title,
        "request": request,
        "perms": PermWrapper(request.user),
    }
    return render_to_string(proposal.kind.template, context)


@hourly
def forget_rehearsals(at: datetime) -> None:
    """Delete old rehearsals. That of an open change set stays for its second person."""
    old = Rehearsal.objects.filter(asked_at__lt=at - KEPT)
    old.exclude(change_set__in=ChangeSet.objects.open()).delete()


@task(takes_context=True)
@repeatable
def rehearse_decision(context: TaskContext, rehearsal: int) -> None:
    """Preview a decision and roll it back."""
    with running(context) as work:
        asked = Rehearsal.objects.filter(pk=rehearsal).first()
        if asked is None:
            raise ValidationError(gettext("This preview is no longer needed."))
        work.tell(0, None, gettext("Working out what would change."))
        rehearse(asked, work.tell)
        page = f"{asked.address}?rehearsal={asked.pk}"
        work.add(gettext("Nothing has been stored yet."), (gettext("What would change"), page))
