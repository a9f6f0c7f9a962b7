"""Rows of the table: a figure, its limit in the same run, and what they have to keep to."""

from __future__ import annotations

import json
from typing import NamedTuple


class Bound(NamedTuple):
    """A number and what it is held to. Without a unit, it is the ratio of the row."""

    number: float
    target: float
    unit: str = ""
    least: bool = False

    @property
    def kept(self) -> bool:
        return self.number >= self.target if self.least else self.number <= self.target

    def __str__(self) -> str:
        return f"{'≥' if self.least else '≤'} {self.target:,g}{self.unit and f' {self.unit}'}"


def at_least(number: float, target: float, unit: str = "") -> Bound:
    return Bound(number, target, unit, least=True)


def at_most(number: float, target: float, unit: str = "") -> Bound:
    return Bound(number, target, unit)


class Row(NamedTuple):
    """One job. ``bounds``: first the ratio of figure and limit, then what is absolute, such as memory."""

    job: str
    figure: str
    limit: str
    bounds: tuple[Bound, ...]

    @property
    def missed(self) -> bool:
        """Whether a target is missed."""
        return not all(bound.kept for bound in self.bounds)

    def __str__(self) -> str:
        """The line of the table."""
        first = self.bounds[0]
        targets = ", ".join(f"{bound}{'' if bound.kept else ', **missed**'}" for bound in self.bounds)
        ratio = "" if first.unit else f"{first.number:.2f}"
        return f"| {self.job} | {self.figure} | {self.limit} | {ratio} | {targets} |"

    def send(self) -> None:
        """Print the row for the process that makes the table."""
        print(json.dumps(self), flush=True)


def received(line: str) -> Row:
    """The row that another process has printed."""
    job, figure, limit, bounds = json.loads(line)
    return Row(job, figure, limit, tuple(Bound(*bound) for bound in bounds))
