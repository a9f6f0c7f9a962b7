"""The audit: everything stored, held against the rules. Each rule book registers its own checks.

What a check finds is kept until it is gone. A finding that somebody has accepted, with a reason, stays
accepted as long as it says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from types import MappingProxyType
from typing import Final, NamedTuple

from django.db import DEFAULT_DB_ALIAS, transaction
from django.utils import timezone
from django.utils.functional import Promise

from ratings.office.models import AuditedCheck, AuditFinding

_AT_ONCE: Final = 500
_SAID: Final = ("text", "words", "address", "mends")
_ACCEPTED: Final = ("accepted_at", "accepted_by_id", "accepted_note")

Find = Callable[[str], Iterable["Finding"]]
"""What a check does: finds whatever contradicts its rule in the database of this alias."""

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Finding(NamedTuple):
    """Something stored that contradicts a rule.

    ``key``: what it is about, the same in every language, and once in a check. ``text``: a msgid, with
    ``%(name)s`` for the ``words``, which are the same in every language as well. ``address``: its page.
    ``mends``: kind and parameters of the decision that would mend it, None where there is none.
    """

    key: str
    text: str
    words: Mapping[str, str] = _NOTHING
    address: str = ""
    mends: tuple[str, Mapping[str, list[str]]] | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One rule and whatever contradicts it."""

    name: str
    article: str
    title: str | Promise
    find: Find


@dataclass(slots=True)
class Audited:
    """What a run found: how many findings of each check are ``open``, and how many ``accepted``."""

    open: dict[str, int] = field(default_factory=dict)
    accepted: dict[str, int] = field(default_factory=dict)


_CHECKS: Final[dict[str, Check]] = {}


def audited(name: str, article: str, title: str | Promise) -> Callable[[Find], Find]:
    """Let the audit ask this function, which streams its findings."""

    def register(find: Find) -> Find:
        if name in _CHECKS:
            raise ValueError(f"two checks of the audit are called {name}")
        _CHECKS[name] = Check(name, article, title, find)
        return find

    return register


def checks() -> list[Check]:
    """Every check, by its article and name."""
    return sorted(_CHECKS.values(), key=lambda check: (check.article, check.name))


def check_of(name: str) -> Check | None:
    """The check of this name; None for one whose rule book is no longer installed."""
    return _CHECKS.get(name)


def audit(
    *,
    only: Iterable[str] = (),
    tell: Callable[[int, int, Check], None] = lambda done, total, check: None,
    using: str = DEFAULT_DB_ALIAS,
) -> Audited:
    """Run all checks, or ``only`` these, and keep what they find; ``tell`` is told before each.

    Each check is a transaction of its own. Raises KeyError for a check that does not exist.
    """
    chosen = [_CHECKS[name] for name in only] or checks()
    result = Audited()
    for done, check in enumerate(chosen):
        tell(done, len(chosen), check)
        began = monotonic()
        with transaction.atomic(using=using):
            _look(check, using)
            kept = AuditFinding.objects.using(using).filter(check_name=check.name, is_there=True)
            found = kept.count()
            result.open[check.name] = kept.open().count()
            result.accepted[check.name] = found - result.open[check.name]
            AuditedCheck.objects.using(using).update_or_create(
                name=check.name,
                defaults={
                    "looked_at": timezone.now(),
                    "seconds": round(monotonic() - began),
                    "found": found,
                },
            )
    return result


def _look(check: Check, using: str) -> None:
    """Bring what is kept of a check to what it finds now."""
    kept = AuditFinding.objects.using(using).filter(check_name=check.name)
    kept.update(is_there=False)
    found = iter(check.find(using))
    while some := list(islice(found, _AT_ONCE)):
        before = {one.key: one for one in kept.filter(key__in=[finding.key for finding in some])}
        rows = [_row(check, finding, before.get(finding.key)) for finding in some]
        AuditFinding.objects.using(using).bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["check_name", "key"],
            update_fields=[*_SAID, "is_there", "accepted_at", "accepted_by", "accepted_note"],
        )
    # One that was accepted may come back, and is accepted still.
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
