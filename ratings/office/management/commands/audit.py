"""``audit``: check everything stored against the rules."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from foa.text import counted
from ratings.office.audit import Check, audit, check_of, checks
from ratings.office.models import AuditFinding

_AT_ONCE = 1_000


def _check(name: str) -> str:
    """Return the name if a check has it. Raises ArgumentTypeError, which lists the checks, if not."""
    if check_of(name) is None:
        known = ", ".join(check.name for check in checks())
        raise ArgumentTypeError(f"unknown check “{name}”; the checks are: {known}")
    return name


class Command(OfficeCommand):
    help = """Check all stored data against the rules, and list what breaks them, article by article.

The exit code is 1 if there are findings that nobody has accepted. The admin shows the findings too, with
links, the decision that would fix each one, and a way to accept it with a reason.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--only",
            type=_check,
            action="append",
            metavar="CHECK",
            default=[],
            help="run only this check; can be repeated",
        )
        parser.add_argument("--json", action="store_true", help="print each finding as JSON, one per line")

    def handle(self, *args: Any, **options: Any) -> None:
        with self.progress("checks done") as progress:

            def tell(done: int, total: int, check: Check) -> None:
                progress(done)

            found = audit(only=options["only"], tell=tell)
        for check in checks():
            if check.name in found.open:
                self._list(check, found.open[check.name], found.accepted[check.name], options["json"])
        if number := sum(found.open.values()):
            raise CommandError(f"{counted(number, 'open finding')} in {counted(len(found.open), 'check')}.")
        if not options["json"]:
            self.say(f"{counted(len(found.open), 'check')}: no open findings.")

    def _list(self, check: Check, number: int, accepted: int, as_json: bool) -> None:
        findings = AuditFinding.objects.filter(check_name=check.name, is_there=True)
        if as_json:
            for one in findings.iterator(_AT_ONCE):
                self.say(json.dumps(_as_json(check, one), ensure_ascii=False))
            return
        if number or accepted:
            more = f", {accepted} accepted" if accepted else ""
            self.say(f"{check.article}: {check.title} ({check.name}): {number} open{more}")
        for one in findings.open().iterator(_AT_ONCE):
            self.say(f"  {one}")


def _as_json(check: Check, finding: AuditFinding) -> dict[str, Any]:
    return {
        "article": check.article,
        "check": check.name,
        "key": finding.key,
        "text": str(finding),
        "address": finding.address,
        "mends": finding.mends,
        "accepted": finding.accepted_note or None,
    }
