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
from typing import Final, NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.functional import Promise

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
