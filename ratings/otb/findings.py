"""The findings of a tournament in words, and long tables cut short, for the pages of staff."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from django.utils.functional import Promise

from ratings.otb.labels import SEVERITY_NAMES, finding_sentence
from ratings.otb.models import AcceptedFinding
from ratings.otb.services.rating import RatedTournament
from ratings.rules.b02.findings import Finds, Severity

FINDS: Final = {one.value: one for one in Finds}
"""Kinds of findings by number."""

SHOWN: Final = 200
"""So many rows a table of these pages shows: a report may have thousands of players."""


class Shown(NamedTuple):
    """The rows of a table that are shown. ``more``: how many are not."""

    rows: list[Any]
    more: int


def cut_short(rows: Iterable[Any], most: int | None = None) -> Shown:
    """The first rows of a table."""
    rows, most = list(rows), SHOWN if most is None else most
    return Shown(rows[:most], max(0, len(rows) - most))


class FindingRow(NamedTuple):
    """A finding in words. ``accepted``: by whom and why it was let pass. ``typed``: a reason to correct."""

    finds: Finds
    article: str
    severity: str | Promise
    refuses: bool
    sentence: str
    accepted: AcceptedFinding | None
    typed: str = ""


def finding_rows(rated: RatedTournament) -> list[FindingRow]:
    """Every finding, those that keep the tournament from being rated first."""
    names = rated.names
    rows = [
        FindingRow(
            finding.finds,
            rated.edition.cite(finding.finds),
            SEVERITY_NAMES[finding.severity],
            finding.severity is Severity.REFUSAL,
            finding_sentence(finding, names, rated.edition),
            rated.accepted.get(finding.finds),
        )
        for finding in rated.findings
    ]
    return sorted(rows, key=lambda row: not row.refuses)
