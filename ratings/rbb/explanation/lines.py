"""A line of the ledger with its explanation and its neighbours, or the last state of a line that is gone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from django.db import connections, router
from django.db.models import Q

from ratings.rbb.explanation import LedgerExplanation, explain
from ratings.rbb.models import RatingChange, RecalculatedLine

# Raw SQL: building four querysets takes ten times as long as running it.
_NEIGHBOURS: Final = """
SELECT line.id,
    (
        SELECT earlier.id FROM ratings_ratingchange AS earlier
        WHERE earlier.member_id = line.member_id AND earlier.category = line.category
        AND (NOT %(games)s OR earlier.game_id IS NOT NULL) AND earlier.occurred_at <= line.occurred_at
        AND (earlier.occurred_at < line.occurred_at OR earlier.id < line.id)
        ORDER BY earlier.occurred_at DESC, earlier.id DESC LIMIT 1
    ),
    (
        SELECT later.id FROM ratings_ratingchange AS later
        WHERE later.member_id = line.member_id AND later.category = line.category
        AND (NOT %(games)s OR later.game_id IS NOT NULL) AND later.occurred_at >= line.occurred_at
        AND (later.occurred_at > line.occurred_at OR later.id > line.id)
        ORDER BY later.occurred_at, later.id LIMIT 1
    ),
    EXISTS (SELECT 1 FROM ratings_recalculatedline AS moved WHERE moved.line = line.id)
FROM ratings_ratingchange AS line WHERE line.id IN (%(first)s, %(last)s)
"""


class Beside(NamedTuple):
    """Keys of the lines before and after a member's line in its category, and whether that one ever moved."""

    previous: int | None
    following: int | None
    moved: bool


NOTHING_BESIDE: Final = Beside(None, None, moved=False)


def beside(first: int, last: int, *, games: bool = False) -> dict[int, Beside]:
    """Return the neighbours of one or two lines, by key; ``games``: only lines of games count."""
    with connections[router.db_for_read(RatingChange)].cursor() as cursor:
        cursor.execute(_NEIGHBOURS, {"first": first, "last": last, "games": games})
        return {key: Beside(*found) for key, *found in cursor.fetchall()}


class ExplainedLine(NamedTuple):
    """A line's explanation. ``previous`` and ``following``: keys of its neighbours in the category.

    ``decisions``: the line before each decision that moved it, latest first.
    """

    line: RatingChange
    explanation: LedgerExplanation
    previous: int | None
    following: int | None
    decisions: Iterable[RecalculatedLine]


def explained_line(row: RatingChange) -> ExplainedLine:
    """Return everything shown about a line, which must have its member, opponent and event loaded."""
    previous, following, moved = beside(row.pk, row.pk).get(row.pk, NOTHING_BESIDE)
    return ExplainedLine(
        row,
        explain(row),
        previous,
        following,
        # Few lines ever moved, and the full query takes several times longer.
        RecalculatedLine.objects.of_line(row.pk).by_decision() if moved else (),
    )


def gone_line(key: int) -> RecalculatedLine | None:
    """Return the last state of a line that is no longer in the ledger; None if there never was one."""
    return RecalculatedLine.objects.of_line(key).filter(gone=True).first()


def line_after(gone: RecalculatedLine) -> RatingChange | None:
    """Return the member's next line in the category after one that is no longer in the ledger."""
    after = Q(occurred_at__gt=gone.occurred_at) | Q(occurred_at=gone.occurred_at, pk__gt=gone.line)
    rows = RatingChange.objects.filter(after, member=gone.member_id, category=gone.category)
    return rows.in_order().first()
