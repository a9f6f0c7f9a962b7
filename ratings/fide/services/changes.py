"""RBB 3.15: ΣΔR of members over the board, from two successive lists or from a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Final

from django.utils import timezone

from foa.text import month_text, number_in
from members.models import Member
from ratings.fide.services.entitlements import AnnouncedDifference, Imported, month_before
from ratings.formats.csv_rows import Row, hundredths_of
from ratings.formats.frl import FideControl
from ratings.formats.problems import Problem, shown
from ratings.rules.rbb.fide_lists import LISTS_OF_CHANGES
from ratings.rules.units import Hundredths

COLUMNS: Final = ("fide_id", "period", "rapid", "blitz")

_MOST: Final = Hundredths(4000_00)
"""Maximum rating, and so the largest possible change."""


class NotAnnounced(Exception):
    """The reason, for people, why a list can't be announced or an announcement can't be undone."""


def require_lists(period: date) -> None:
    """Raise NotAnnounced if the list of a month or of the month before wasn't imported.

    Going further back would include the changes of months that have announcements of their own.
    """
    before = month_before(period)
    imported = Imported()
    for name in LISTS_OF_CHANGES.values():
        for month in (before, period):
            if imported.of(FideControl(name), month) is None:
                raise NotAnnounced(
                    f"the {name} list of {month_text(month)} was not imported: what changed from "
                    f"{month_text(before)} to {month_text(period)} is not known"
                )


def changes_of_file(
    rows: Iterable[Row | Problem],
    period: date,
    at: datetime,
    refused: list[Problem],
) -> Iterator[AnnouncedDifference]:
    """Yield the changes in the rows of a CSV file, one row for each member of this period.

    Rows that can't be announced are added to ``refused``.
    """
    seen: dict[int, int] = {}
    members = {member.fide_id: member for member in Member.objects.filter(fide_id__isnull=False)}
    for row in rows:
        if isinstance(row, Problem):
            refused.append(row)
            continue
        faults = []
        text = row.values["fide_id"]
        fide_id = number_in(text, 9) or 0
        member = members.get(fide_id)
        if member is None:
            faults.append(f"fide_id: {shown(text)} is the FIDE ID of no member")
        elif (line := seen.setdefault(fide_id, row.line)) != row.line:
            faults.append(f"fide_id: {fide_id} is already in line {line}")
        if row.values["period"] != f"{period:%Y-%m}":
            faults.append(f"period: {shown(row.values['period'])} is not {period:%Y-%m}")
        amounts = {}
        for category, name in LISTS_OF_CHANGES.items():
            try:
                amounts[category] = _amount(row.values[name])
            except ValueError:
                faults.append(
                    f"{name}: {shown(row.values[name])} is not a number with at most two decimals (RBB 3.1) "
                    "between -4000.00 and 4000.00"
                )
        if faults or member is None:
            refused.append(Problem(row.line, "; ".join(faults), row.values))
            continue
        for category, amount in amounts.items():
            if amount:
                yield AnnouncedDifference(member, category, period, amount, at)


def refused_rows(rows: Iterable[Row | Problem], period: date) -> list[Problem]:
    """Return the rows of such a file that can't be announced."""
    refused: list[Problem] = []
    for _change in changes_of_file(rows, period, timezone.now(), refused):
        pass
    return refused


def _amount(text: str) -> Hundredths:
    """Read an amount; blank means 0."""
    amount = hundredths_of(text) if text else Hundredths(0)
    if abs(amount) > _MOST:
        raise ValueError
    return amount
