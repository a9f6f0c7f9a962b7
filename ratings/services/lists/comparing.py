"""Two published lists of a category beside each other: who gained, who lost, who came, who went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, Final

from django.db.models import Exists, ExpressionWrapper, F, OuterRef, QuerySet, Subquery, Value

from foa.spreadsheet import Cell
from ratings.models.lists import RatingList, RatingListEntry
from ratings.office.fields import HundredthsField

COMPARED: Final = 20_000
"""So many positions of a list are compared, so that a page of a long list comes as soon as one of a short."""

COLUMNS: Final = ("username", "fide_id", "name", "title", "federation", "before", "after", "change")


class Part(Enum):
    """Which lines of two lists."""

    GAINS = "gains"
    LOSSES = "losses"
    ENTERED = "entered"
    LEFT = "left"


def compared(earlier: RatingList, later: RatingList, part: Part) -> QuerySet[RatingListEntry]:
    """The lines of a part, gains and losses by the exact change, the others by position.

    Each has the exact ratings ``before`` and ``after`` and the ``change`` between them, None where there is
    none. Those who left are lines of the earlier list, all others of the later one.
    """
    if part is Part.LEFT:
        lines = _first_of(earlier).filter(~Exists(later.entries.filter(member=OuterRef("member"))))
        nothing = Value(None, output_field=HundredthsField(null=True))
        return lines.annotate(before=F("rating"), after=nothing, moved=nothing).order_by("pk")
    then = earlier.entries.filter(member=OuterRef("member")).order_by()
    lines = _first_of(later).annotate(before=Subquery(then.values("rating")[:1]), after=F("rating"))
    lines = lines.annotate(moved=ExpressionWrapper(F("after") - F("before"), HundredthsField(null=True)))
    if part is Part.GAINS:
        return lines.filter(moved__gt=0).order_by("-moved", "pk")
    if part is Part.LOSSES:
        return lines.filter(moved__lt=0).order_by("moved", "pk")
    return lines.filter(before=None).order_by("pk")


def compared_rows(lines: QuerySet[RatingListEntry]) -> Iterator[Sequence[Cell]]:
    """These lines in COLUMNS; streamed."""
    for line in lines.iterator(5_000):
        found: Any = line
        yield (
            line.username,
            line.fide_id,
            line.name,
            line.title,
            line.federation,
            found.before,
            found.after,
            found.moved,
        )


def _first_of(published: RatingList) -> QuerySet[RatingListEntry]:
    return published.entries.filter(position__lte=COMPARED)
