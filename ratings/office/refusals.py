"""Refused rows of a file, put together by what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from ratings.formats.problems import Problem

_VALUES: Final = re.compile(r"“[^”]*”|[0-9]+")
"""Parts of a reason in which two rows with the same fault differ: names and numbers."""

_GROUPS: Final = 100
"""Maximum number of groups that a page shows."""

_ROWS: Final = 20
"""Maximum number of rows that a page shows of a group."""


@dataclass(slots=True)
class Refusals:
    """Rows that were refused for the same reasons, in the order of their lines.

    ``option``: of the import, with which all of them would be taken, or "". ``about``: the names that it
    would be given for.
    """

    option: str
    rows: list[Problem] = field(default_factory=list)
    about: set[str] = field(default_factory=set)

    def shown(self) -> dict[str, Any]:
        """Return what the page of a file shows of it."""
        return {
            "option": self.option,
            "about": len(self.about),
            "number": len(self.rows),
            "rows": [str(one) for one in self.rows[:_ROWS]],
            "more": max(0, len(self.rows) - _ROWS),
        }


def grouped(refused: Iterable[Problem]) -> list[Refusals]:
    """Put rows together by their reasons; the group with the first line comes first."""
    groups: dict[frozenset[str], Refusals] = {}
    for problem in refused:
        causes, option = _causes(problem)
        group = groups.setdefault(causes, Refusals(option))
        group.rows.append(problem)
        group.about.update(fault.about for fault in problem.faults if fault.option)
    return list(groups.values())


def shown_groups(refused: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return what the page of a file shows of its refused rows."""
    return [one.shown() for one in grouped(refused)[:_GROUPS]]


def _causes(problem: Problem) -> tuple[frozenset[str], str]:
    """Return what is wrong with a row, and the option with which it would be taken."""
    if not problem.faults:
        return frozenset((_VALUES.sub("", problem.reason),)), ""
    causes = frozenset(fault.option or _VALUES.sub("", fault.text) for fault in problem.faults)
    options = {fault.option for fault in problem.faults}
    return causes, options.pop() if len(options) == 1 else ""
