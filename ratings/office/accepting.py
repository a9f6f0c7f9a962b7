"""Decisions to accept findings of the audit, with a reason, or to reopen them. Neither moves a rating."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foa.said import gettext
from ratings.office.decision_types import Decision, DecisionType, register
from ratings.office.effects import Effect, Fact
from ratings.office.forms import SomeOf
from ratings.office.models import AuditFinding


class FindingsForm(forms.Form):
    """The chosen findings."""

    finding = SomeOf(AuditFinding.objects.order_by("pk"))


class _OfFindings(DecisionType):
    """A decision about findings of the audit."""

    permission = "office.accept_auditfinding"
    form = FindingsForm
    is_public = False
    words: ClassVar[Any] = {**DecisionType.words, "accepted": _("accepted"), "open": _("open")}

    def done(self, findings: list[AuditFinding], after: str, undo: str) -> Effect:
        """Save the findings and return the effect. Raises ValidationError if one of them is gone."""
        if any(not one.is_there for one in findings):
            raise ValidationError(gettext("One of these findings is gone: the last audit did not find it."))
        AuditFinding.objects.bulk_update(findings, ["accepted_at", "accepted_by", "accepted_note"])
        facts = [
            # The fact holds the finding as it was read: it may say something else by the time it is accepted.
            Fact("inputs", f"{one.check_name} {one.key} {sorted(one.words.items())}", str(one), after=after)
            for one in findings
        ]
        return Effect(facts=facts, undo=(undo, {"finding": [str(one.pk) for one in findings]}))


@register
class AcceptFindings(_OfFindings):
    """Decision that findings may stay as they are, with the reason. Skips those already accepted."""

    name = "accept-findings"
    title = _("Accept findings of the audit")
    button = _("Accept")

    def apply(self, decision: Decision) -> Effect:
        """Accept all the findings or none."""
        findings = [one for one in decision.asked["finding"] if one.accepted_at is None]
        for one in findings:
            one.accepted_at, one.accepted_by = decision.at, decision.by
            # A preview has no reason yet. A command may have been given none.
            one.accepted_note = decision.note or gettext("No reason was given.")
        return self.done(findings, "accepted", "reopen-findings")


@register
class ReopenFindings(_OfFindings):
    """Decision to withdraw the acceptance of findings."""

    name = "reopen-findings"
    title = _("Open findings of the audit again")
    button = _("Open again")

    def apply(self, decision: Decision) -> Effect:
        """Reopen all the findings or none."""
        findings = [one for one in decision.asked["finding"] if one.accepted_at is not None]
        for one in findings:
            one.accepted_at, one.accepted_by, one.accepted_note = None, None, ""
        return self.done(findings, "open", "accept-findings")
