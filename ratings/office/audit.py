"""The audit checks everything stored against the rules. Each rule book registers its own checks.

Findings are kept until the audit no longer finds them. A finding that somebody has accepted, with a reason,
stays accepted as long as it says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.said import gettext
from ratings.office.decision_types import Decision, DecisionType, register
from ratings.office.effects import Effect, Fact
from ratings.office.forms import SomeOf
from ratings.office.models import AuditedCheck, AuditFinding

_AT_ONCE: Final = 500
_SAID: Final = ("text", "words", "address", "mends")
_ACCEPTED: Final = ("accepted_at", "accepted_by_id", "accepted_note")

Find = Callable[[], Iterable["Finding"]]
"""Function of a check: yields whatever contradicts the rule."""

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Finding(NamedTuple):
    """Something stored that contradicts a rule.

    ``key``: its subject, the same in every language and unique within a check. ``text``: a msgid with
    ``%(name)s`` for the ``words``, which don't depend on the language either. ``address``: the page of the
    subject. ``mends``: kind and parameters of the decision that would fix it, or None.
    """

    key: str
    text: str
    words: Mapping[str, str] = _NOTHING
    address: str = ""
    mends: tuple[str, Mapping[str, list[str]]] | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One rule and the function that finds what contradicts it."""

    name: str
    article: str
    title: str | Promise
    find: Find


@dataclass(slots=True)
class Audited:
    """Outcome of a run: numbers of ``open`` and ``accepted`` findings by check."""

    open: dict[str, int] = field(default_factory=dict)
    accepted: dict[str, int] = field(default_factory=dict)


_CHECKS: Final[dict[str, Check]] = {}


def audited(name: str, article: str, title: str | Promise) -> Callable[[Find], Find]:
    """Register a function that yields the findings of a check."""

    def register(find: Find) -> Find:
        if name in _CHECKS:
            raise ValueError(f"two checks of the audit are called {name}")
        _CHECKS[name] = Check(name, article, title, find)
        return find

    return register


def checks() -> list[Check]:
    """Return every check, ordered by article and name."""
    return sorted(_CHECKS.values(), key=lambda check: (check.article, check.name))


def check_of(name: str) -> Check | None:
    """Return the check with this name, or None if its rule book is no longer installed."""
    return _CHECKS.get(name)


def audit(
    *,
    only: Iterable[str] = (),
    tell: Callable[[int, int, Check], None] = lambda done, total, check: None,
) -> Audited:
    """Run all checks, or ``only`` some, and keep what they find. ``tell`` is called before each check.

    Each check runs in a transaction of its own. Raises KeyError for an unknown check.
    """
    chosen = [_CHECKS[name] for name in only] or checks()
    result = Audited()
    for done, check in enumerate(chosen):
        tell(done, len(chosen), check)
        began = monotonic()
        with transaction.atomic():
            _look(check)
            kept = AuditFinding.objects.filter(check_name=check.name, is_there=True)
            found = kept.count()
            result.open[check.name] = kept.open().count()
            result.accepted[check.name] = found - result.open[check.name]
            AuditedCheck.objects.update_or_create(
                name=check.name,
                defaults={
                    "looked_at": timezone.now(),
                    "seconds": round(monotonic() - began),
                    "found": found,
                },
            )
    return result


def _look(check: Check) -> None:
    """Replace the kept findings of a check by what it finds now."""
    kept = AuditFinding.objects.filter(check_name=check.name)
    kept.update(is_there=False)
    found = iter(check.find())
    while some := list(islice(found, _AT_ONCE)):
        before = {one.key: one for one in kept.filter(key__in=[finding.key for finding in some])}
        rows = [_row(check, finding, before.get(finding.key)) for finding in some]
        AuditFinding.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["check_name", "key"],
            update_fields=[*_SAID, "is_there", "accepted_at", "accepted_by", "accepted_note"],
        )
    # Accepted findings stay, in case they come back: they are then still accepted.
    kept.filter(is_there=False, accepted_at=None).delete()


def _row(check: Check, finding: Finding, before: AuditFinding | None) -> AuditFinding:
    kind, parameters = finding.mends or ("", {})
    row = AuditFinding(
        check_name=check.name,
        key=finding.key,
        text=finding.text,
        words=dict(finding.words),
        address=finding.address,
        mends={"kind": kind, "parameters": dict(parameters)} if kind else None,
        found_at=timezone.now(),
    )
    if before is not None and before.words == row.words and before.text == row.text:
        for name in _ACCEPTED:
            setattr(row, name, getattr(before, name))
    return row


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
            raise ValidationError(gettext("One of these findings is gone: the last audit didn’t find it."))
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
    title = _("Accept audit findings")
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
    title = _("Reopen audit findings")
    button = _("Open again")

    def apply(self, decision: Decision) -> Effect:
        """Reopen all the findings or none."""
        findings = [one for one in decision.asked["finding"] if one.accepted_at is not None]
        for one in findings:
            one.accepted_at, one.accepted_by, one.accepted_note = None, None, ""
        return self.done(findings, "open", "accept-findings")
