"""Changes since the previous list, and trends, for the rows of a list page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django_tables2 import Table

from ratings.rbb.lists.trends import earlier_ratings
from ratings.rbb.models import RatingChange, RatingList
from ratings.rules.rounding import displayed, to_hundredths

SORTED_AT_MOST: Final = 20_000
"""Maximum number of rows of a list sorted by a column without an index."""


def shown_on(row: Any) -> int:
    """Return the displayed rating of a row of a list."""
    shown: int = displayed(to_hundredths(row.after)) if isinstance(row, RatingChange) else row.displayed
    return shown


def set_trends(table: Table, rows: Sequence[Any], lists: Sequence[RatingList]) -> None:
    """Set ``since`` and ``trend`` of each row from the previous lists, oldest first; hide them if none."""
    if not lists:
        table.columns.hide("since")
        table.columns.hide("trend")
        return
    earlier = earlier_ratings([row.member_id for row in rows], lists)
    for row in rows:
        before, shown = earlier[row.member_id], shown_on(row)
        row.since = None if before[-1] is None else shown - before[-1]
        row.trend = [*before, shown]
