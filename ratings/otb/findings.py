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
"""Maximum number of rows of a table on these pages: a report may have thousands of players."""


class Shown(NamedTuple):
    """The rows of a table that are shown. ``more``: number of rows left out."""

    rows: list[Any]
    more: int


def cut_short(rows: Iterable[Any], most: int | None = None) -> Shown:
    """Return the first rows of a table."""
    rows, most = list(rows), SHOWN if most is None else most
    return Shown(rows[:most], max(0, len(rows) - most))


class FindingRow(NamedTuple):
    """A finding in words. ``accepted``: who accepted it, and why. ``typed``: a reason to correct."""

    finds: Finds
    article: str
    severity: str | Promise
    refuses: bool
    sentence: str
    accepted: AcceptedFinding | None
    typed: str = ""


def finding_rows(rated: RatedTournament) -> list[FindingRow]:
    """Return all findings in words, those that keep the tournament from being rated first."""
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
