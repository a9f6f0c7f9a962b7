"""The one path of every decision: preview, confirm what was shown, second, apply, withdraw.

A decision locks what its form names, checks its form again, and is applied. A preview is the
decision itself, rolled back. Confirming applies it again, and commits only if its effect has
the same fingerprint. If a decision can't be made, ValidationError says why and nothing is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import override
from django_tasks import TaskContext, task

from foa.current_change_set import deciding
from foa.locking import lock_row
from foa.repeatable import repeatable
from foa.said import Said
from ratings.office.bulk import insert_rows
from ratings.office.decision_types import Decision, DecisionType, Parameters, kind_of
from ratings.office.effects import Difference, Effect, differences
from ratings.office.jobs import enqueue, running
from ratings.office.models import ChangeSet, MovedRating, PublicReason
from ratings.office.uploads import let_go

_WAITING = (ChangeSet.State.PROPOSED, ChangeSet.State.QUEUED)
_MOVE_COLUMNS = ("change_set_id", "position", "subject", "scale", "before", "after")


class StaleError(Exception):
    """The effect has changed since it was shown. ``effect``: the current one; ``differs``: what differs."""

    def __init__(self, effect: Effect, differs: list[Difference]) -> None:
        super().__init__(_("The data has changed since the preview. Nothing was done."))
        self.effect = effect
        self.differs = differs


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed decision: kind, parameters and reasons. ``system_user``: who runs a command.

    ``waits``: a second person is needed, whatever the settings say.
    """

    kind: DecisionType
    parameters: Parameters
    by: Any = None
    system_user: str = ""
    reason: str = PublicReason.ROUTINE
    text: str = ""
    note: str = ""
    undoes: ChangeSet | None = None
    waits: bool = False


def preview(
    proposal: Proposal, *, at: datetime | None = None, tell: Callable[..., None] | None = None
) -> Effect:
    """Return exactly what it would do: apply it and roll it back."""
    with transaction.atomic():
        effect = _apply(proposal, at or timezone.now(), tell)
        transaction.set_rollback(True)
    return effect


def confirm(proposal: Proposal, shown: Mapping[str, Any]) -> ChangeSet:
    """Do what was shown: at once, by the worker, or once another person has seconded it.

    Raises StaleError and does nothing if the effect has changed since it was shown.
    """
    if not shown:
        raise StaleError(preview(proposal), [])
    if is_long(proposal) or waits_for_second(proposal, shown):
        change_set = _waiting(proposal, shown)
        return change_set if change_set.needs_second else _to_the_worker(change_set)
    decided, _effect = _decide(proposal, shown)
    if decided is None:
        raise ValidationError(_("There’s nothing to do."))
    return decided


def is_long(proposal: Proposal) -> bool:
    """Return True if the decision is left to the worker."""
    form = proposal.kind.bind(proposal.parameters)
    return bool(form.is_valid() and proposal.kind.is_long(form.cleaned_data))


def decide_at_once(
    proposal: Proposal, *, tell: Callable[..., None] | None = None
) -> tuple[ChangeSet | None, Effect]:
    """Decide without showing a preview, as a command does. Return None if there is nothing to do.

    The change set waits if a second person is needed.
    """
    return _decide(proposal, None, tell)


def register_facts(name: str, parameters: Parameters, effect: Effect) -> ChangeSet:
    """Enter in the register what facts have moved, in the transaction that stored them. Nobody decided it."""
    proposal = Proposal(kind=kind_of(name), parameters=parameters)
    change_set = _new(proposal)
    _note_applied(change_set, proposal, effect)
    return change_set


def second(change_set: ChangeSet, by: Any, shown: Mapping[str, Any]) -> ChangeSet:
    """Second a change set as another person. What they were shown must be what was proposed."""
    with transaction.atomic():
        locked = _locked(change_set)
        if locked.state != ChangeSet.State.PROPOSED or locked.seconded_by_id is not None:
            raise ValidationError(_("This change set isn’t waiting for a second person."))
        if locked.proposed_by_id == by.pk:
            raise ValidationError(_("You proposed this, so somebody else has to confirm it."))
        if shown.get("fingerprint") != locked.fingerprint:
            effect = preview(proposal_of(locked))
            kind = kind_of(locked.kind)
            raise StaleError(
                effect, differences(locked.shown, effect.shown(), kind.name_moves, kind.name_value)
            )
        locked.seconded_by, locked.seconded_at = by, timezone.now()
        locked.save(update_fields=["seconded_by", "seconded_at"])
        if is_long(proposal_of(locked)):
            return _to_the_worker(locked)
    apply_waiting(locked)
    locked.refresh_from_db()
    return locked


def withdraw(change_set: ChangeSet, *, by: Any = None, why: str = "") -> ChangeSet:
    """Withdraw a change set that waits for a second person, or for a worker that hasn't begun.

    ``why`` is added to the staff note. It is required to refuse what another person proposed; without it,
    ValidationError is raised.
    """
    with transaction.atomic():
        locked = _locked(change_set)
        if locked.state not in _WAITING:
            raise ValidationError(_("This change set is no longer waiting."))
        refuses = by is not None and locked.proposed_by_id not in (None, by.pk)
        if refuses and not why:
            raise ValidationError(
                _("Say why you’re refusing this. The person who proposed it will read your reason.")
            )
        if why:
            said = _("Refused by %(who)s: %(why)s") if refuses else _("Withdrawn by %(who)s: %(why)s")
            told = said % {"who": by or _("unknown"), "why": why}
            locked.staff_note = "\n".join(filter(None, (locked.staff_note, told)))
        locked.state = ChangeSet.State.WITHDRAWN
        locked.save(update_fields=["state", "staff_note"])
        let_go(locked.parameters)
    return locked


def try_again(change_set: ChangeSet) -> ChangeSet:
    """Queue the change set again after a worker died while applying it."""
    with transaction.atomic():
        locked = _locked(change_set)
        failed = locked.job is not None and locked.job.has_failed
        if locked.state != ChangeSet.State.QUEUED or not failed:
            raise ValidationError(_("The job of this change set didn’t fail."))
        return _to_the_worker(locked)


def apply_waiting(
    change_set: ChangeSet,
    tell: Callable[..., None] | None = None,
    then: Callable[[Effect], None] = lambda effect: None,
) -> None:
    """Apply a waiting change set if it still does what was shown. ``then`` runs in the same transaction.

    If the effect has changed or the decision isn't possible any more, the change set is marked so, and
    StaleError or ValidationError is raised.
    """
    proposal = proposal_of(change_set)
    raised: Exception
    try:
        with transaction.atomic():
            locked = _locked(change_set)
            if locked.state not in _WAITING:
                raise ValidationError(
                    _("This change set is no longer waiting: %s.") % locked.get_state_display()
                )
            effect = _apply(proposal, timezone.now(), tell, change_set=locked.pk)
            _check(proposal.kind, locked.shown, effect)
            _note_applied(locked, proposal, effect)
            then(effect)
        return
    except StaleError as stale:
        said = [f"{one.label}: {one.shown} → {one.now}" for one in stale.differs]
        state, raised = ChangeSet.State.STALE, stale
    except ValidationError as refusal:
        state, said, raised = ChangeSet.State.REFUSED, refusal.messages, refusal
    ChangeSet.objects.open().filter(pk=change_set.pk).update(
        state=state, outcome=[{"text": text, "links": []} for text in said]
    )
    let_go(change_set.parameters)
    raise raised


def needs_second(kind: DecisionType, shown: Mapping[str, Any]) -> bool:
    """Return True if a second person is needed, by kind, numbers of ratings and lists, or largest change."""
    many, far = settings.SECOND_PERSON_RATINGS, settings.SECOND_PERSON_POINTS
    return (
        kind.name in settings.SECOND_PERSON_KINDS
        or "all" in settings.SECOND_PERSON_KINDS
        or (many is not None and shown["moved"] >= many)
        or (far is not None and shown["largest"] >= 100 * far)
        or (settings.SECOND_PERSON_LISTS and any(section == "lists" for section, *_fact in shown["facts"]))
    )


def proposal_of(change_set: ChangeSet) -> Proposal:
    """Return the proposal of a change set."""
    return Proposal(
        kind=kind_of(change_set.kind),
        parameters=change_set.parameters,
        by=change_set.proposed_by,
        system_user=change_set.proposed_as,
        reason=change_set.public_reason,
        text=change_set.public_text,
        note=change_set.staff_note,
        undoes=change_set.undoes,
    )


def _apply(
    proposal: Proposal,
    at: datetime,
    tell: Callable[..., None] | None = None,
    *,
    change_set: int | None = None,
) -> Effect:
    """Do what is proposed, as this change set; None: only to look at it."""
    if proposal.undoes is not None:
        _refuse_undone(proposal.undoes)
    form = _checked(proposal)
    if proposal.kind.lock(form):
        # Somebody may have changed something while this waited.
        form = _checked(proposal)
    decision = Decision(
        form.cleaned_data,
        at,
        proposal.by,
        proposal.note,
        proposal.reason,
        proposal.text,
        tell or (lambda *how_far: None),
        looked_at=change_set is None,
    )
    with deciding(change_set):
        return proposal.kind.apply(decision)


def _checked(proposal: Proposal) -> Any:
    """Return the form of a proposal. Raises ValidationError for what it refuses."""
    form = proposal.kind.bind(proposal.parameters)
    if not form.is_valid():
        raise ValidationError([fault for faults in form.errors.values() for fault in faults])
    return form


def _refuse_undone(change_set: ChangeSet) -> None:
    """Lock the change set to be undone. Raises ValidationError if it has been undone already."""
    _locked(change_set)
    undo = change_set.undone_by.applied().first()
    if undo is not None:
        words = {"decision": change_set.for_staff, "undo": undo.pk}
        raise ValidationError(_("%(decision)s was already reversed by #%(undo)d.") % words)


def _check(kind: DecisionType, shown: Mapping[str, Any], effect: Effect) -> None:
    """Raise StaleError if the effect has changed since it was shown, or now needs a second person."""
    now = effect.shown()
    is_same = shown and shown["fingerprint"] == now["fingerprint"]
    if not is_same or (needs_second(kind, now) and not needs_second(kind, shown)):
        raise StaleError(effect, differences(shown, now, kind.name_moves, kind.name_value))


def _new(proposal: Proposal) -> ChangeSet:
    form = proposal.kind.bind(proposal.parameters)
    # Now, because the subject may be gone afterwards.
    with override("en"):
        subject = proposal.kind.subject(form.cleaned_data) if form.is_valid() else ""
    return ChangeSet(
        kind=proposal.kind.name,
        subject=Truncator(str(subject)).chars(255),
        subject_meant=subject.meant if isinstance(subject, Said) else None,
        parameters={name: list(values) for name, values in proposal.parameters.items()},
        state=ChangeSet.State.QUEUED,
        public_reason=proposal.kind.reason(proposal.parameters) or proposal.reason,
        public_text=proposal.text,
        staff_note=proposal.note,
        proposed_by=proposal.by,
        proposed_as=proposal.system_user,
        proposed_at=timezone.now(),
        undoes=proposal.undoes,
    )


def _decide(
    proposal: Proposal, shown: Mapping[str, Any] | None, tell: Callable[..., None] | None = None
) -> tuple[ChangeSet | None, Effect]:
    with transaction.atomic():
        change_set = _new(proposal)
        change_set.save()
        with transaction.atomic():
            effect = _apply(proposal, change_set.proposed_at, tell, change_set=change_set.pk)
            if shown is not None:
                _check(proposal.kind, shown, effect)
            waits = waits_for_second(proposal, effect.shown())
            transaction.set_rollback(waits or effect.is_empty)
        if not waits and not effect.is_empty:
            _note_applied(change_set, proposal, effect)
            return change_set, effect
        change_set.delete()
        return (None if effect.is_empty else _waiting(proposal, effect.shown())), effect


def waits_for_second(proposal: Proposal, shown: Mapping[str, Any]) -> bool:
    """Return True if another person has to confirm a proposal before it is done."""
    return proposal.waits or needs_second(proposal.kind, shown)


def _waiting(proposal: Proposal, shown: Mapping[str, Any]) -> ChangeSet:
    """Return a waiting change set. A proposal made twice waits only once."""
    change_set = _new(proposal)
    change_set.needs_second = waits_for_second(proposal, shown)
    if change_set.needs_second:
        change_set.state = ChangeSet.State.PROPOSED
    change_set.shown, change_set.fingerprint = dict(shown), shown["fingerprint"]
    change_set.moved, change_set.largest = shown["moved"], shown["largest"]
    same = ChangeSet.objects.filter(
        kind=change_set.kind,
        state=ChangeSet.State.PROPOSED,
        fingerprint=change_set.fingerprint,
        proposed_by=change_set.proposed_by,
        proposed_as=change_set.proposed_as,
    )
    for one in same:
        if one.parameters == change_set.parameters:
            return one
    change_set.save()
    return change_set


def _to_the_worker(change_set: ChangeSet) -> ChangeSet:
    kind = kind_of(change_set.kind)
    with transaction.atomic():
        change_set.state = ChangeSet.State.QUEUED
        change_set.job = enqueue(
            apply_change_set,
            title=heading_of(kind, change_set.parameters)[:200],
            by=change_set.seconded_by or change_set.proposed_by,
            change_set=change_set.pk,
        )
        change_set.save(update_fields=["state", "job"])
    return change_set


def heading_of(kind: DecisionType, parameters: Parameters) -> str:
    """Return the heading for staff, even if the subject is gone."""
    form = kind.bind(parameters)
    return kind.heading(form.cleaned_data) if form.is_valid() else str(kind.title)


def _locked(change_set: ChangeSet) -> ChangeSet:
    """Lock the row and return it as it is stored now."""
    return lock_row(ChangeSet.objects, change_set.pk)


def _note_applied(change_set: ChangeSet, proposal: Proposal, effect: Effect) -> None:
    change_set.state, change_set.applied_at = ChangeSet.State.APPLIED, timezone.now()
    change_set.shown, change_set.fingerprint = effect.shown(), effect.fingerprint
    change_set.moved, change_set.largest = len(effect.moves), effect.largest
    change_set.outcome = [one.kept() for one in effect.outcome]
    if effect.undo:
        kind, parameters = effect.undo
        change_set.undo = {"kind": kind, "parameters": parameters}
    change_set.save()
    let_go(change_set.parameters)
    insert_rows(
        MovedRating,
        _MOVE_COLUMNS,
        [(change_set.pk, position, *move) for position, move in enumerate(effect.farthest, 1)],
    )
    by = change_set.seconded_by or change_set.proposed_by
    if by is not None and effect.objects:
        said = heading_of(proposal.kind, proposal.parameters)
        message = f"{said}: {proposal.note}" if proposal.note else said
        LogEntry.objects.log_actions(by.pk, effect.objects, CHANGE, change_message=message)


@task(takes_context=True)
@repeatable
def apply_change_set(context: TaskContext, change_set: int) -> None:
    """Apply a change set as it was shown, or not at all."""
    with running(context) as work:
        waiting = ChangeSet.objects.filter(pk=change_set).first()
        if waiting is None:
            raise ValidationError(_("The change set no longer exists."))
        if waiting.state == ChangeSet.State.APPLIED and waiting.job_id == work.job.pk:
            return  # A worker that was lost afterwards has already applied it.

        def tell(effect: Effect) -> None:
            for text, links in effect.outcome:
                work.add(text, *links)

        try:
            apply_waiting(waiting, work.tell, tell)
        except StaleError as stale:
            differing = [
                _("%(label)s: shown %(shown)s, now %(now)s")
                % {"label": one.label, "shown": one.shown or "–", "now": one.now or "–"}
                for one in stale.differs
            ]
            raise ValidationError([str(stale), *differing]) from stale
