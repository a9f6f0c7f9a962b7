"""Grouping the refused rows of a file by their reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from ratings.formats.problems import Problem

_VALUES: Final = re.compile(r"“[^”]*”|[0-9]+")
"""Parts of a reason that vary between rows with the same fault: names and numbers."""

_GROUPS: Final = 100
"""Maximum number of groups on a page."""

_ROWS: Final = 20
"""Maximum number of rows of a group on a page."""


@dataclass(slots=True)
class Refusals:
    """Rows refused for the same reasons, in the order of their lines.

    ``option``: option of the import that would accept all of them, or "". ``about``: the names it would be
    used for.
    """

    option: str
    rows: list[Problem] = field(default_factory=list)
    about: set[str] = field(default_factory=set)

    def shown(self) -> dict[str, Any]:
        """Return what the page of a file shows of the group."""
        return {
            "option": self.option,
            "about": len(self.about),
            "number": len(self.rows),
            "rows": [str(one) for one in self.rows[:_ROWS]],
            "more": max(0, len(self.rows) - _ROWS),
        }


def grouped(refused: Iterable[Problem]) -> list[Refusals]:
    """Group rows by their reasons. The group with the first line comes first."""
    groups: dict[frozenset[str], Refusals] = {}
    for problem in refused:
        causes, option = _causes(problem)
        group = groups.setdefault(causes, Refusals(option))
        group.rows.append(problem)
        group.about.update(fault.about for fault in problem.faults if fault.option)
    return list(groups.values())


def shown_groups(refused: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return the groups as the page of a file shows them."""
    return [one.shown() for one in grouped(refused)[:_GROUPS]]


def _causes(problem: Problem) -> tuple[frozenset[str], str]:
    """Return what is wrong with a row, and the option that would accept it."""
    if not problem.faults:
        return frozenset((_VALUES.sub("", problem.reason),)), ""
    causes = frozenset(fault.option or _VALUES.sub("", fault.text) for fault in problem.faults)
    options = {fault.option for fault in problem.faults}
    return causes, options.pop() if len(options) == 1 else ""
