"""A line of the ledger with its explanation and its neighbours, or what is known of one that went away."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Q

from ratings.explanation import LedgerExplanation, explain
from ratings.models import RatingChange, RecalculatedLine


class ExplainedLine(NamedTuple):
    """``previous`` and ``following``: keys of the member's lines before and after it in the category.

    ``decisions``: how the line was before each decision that moved it, latest first.
    """

    explanation: LedgerExplanation
    previous: int | None
    following: int | None
    decisions: Iterable[RecalculatedLine]


def explained_line(row: RatingChange) -> ExplainedLine:
    """All that is told about a line, which comes with its member, opponent and event."""
    rows = RatingChange.objects.filter(member=row.member_id, category=row.category)
    return ExplainedLine(
        explain(row),
        rows.earlier_than(row).values_list("pk", flat=True).first(),
        rows.later_than(row).values_list("pk", flat=True).first(),
        # Few lines ever moved, and the whole question takes several times longer.
        RecalculatedLine.objects.of_line(row.pk).by_decision()
        if RecalculatedLine.objects.filter(line=row.pk).exists()
        else (),
    )


def gone_line(key: int) -> RecalculatedLine | None:
    """How a line was that is no longer in the ledger; None if there never was one."""
    return RecalculatedLine.objects.of_line(key).filter(gone=True).first()


def line_after(gone: RecalculatedLine) -> RatingChange | None:
    """The member's next line in the category after one that is no longer in the ledger."""
    after = Q(occurred_at__gt=gone.occurred_at) | Q(occurred_at=gone.occurred_at, pk__gt=gone.line)
    rows = RatingChange.objects.filter(after, member=gone.member_id, category=gone.category)
    return rows.in_order().first()
