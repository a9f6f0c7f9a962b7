"""The summary of a replay, its text and effect; and causes of changes, for those who follow the office."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from foa.text import counted
from ratings.office.effects import Effect, Fact, Move, lines_change
from ratings.rbb.models.lists import RatingList
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

Progress = Callable[[int], None]
TellDifference = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Moved:
    """A member whose present rating in a category was moved by a replay; in hundredths, None if unrated."""

    member_id: int
    category: Category
    before: Hundredths | None
    after: Hundredths | None


@dataclass(slots=True)
class ReplaySummary:
    """Numbers of events read and lines written by a replay (with ``check``: that would be written)."""

    events: int = 0
    changes_written: int = 0
    changes_deleted: int = 0
    ratings_written: int = 0
    ratings_deleted: int = 0
    moved: list[Moved] = field(default_factory=list)
    lists: dict[int, int] = field(default_factory=dict)
    """Number of members whose standing differs at a published list's moment, by the list's key."""
    behind: datetime | None = None
    """The first moment at which something changed behind the newest lines or a published list."""
    noted: list[int] = field(default_factory=list)
    """The keys of the recalculations."""

    @property
    def differences(self) -> int:
        """Number of ledger and rating rows that didn't match the inputs."""
        return self.changes_written + self.changes_deleted + self.ratings_written + self.ratings_deleted

    def __str__(self) -> str:
        return (
            f"Replayed {counted(self.events, 'event')}: {counted(self.changes_written, 'ledger row')} and "
            f"{counted(self.ratings_written, 'rating')} written, "
            f"{self.changes_deleted} and {self.ratings_deleted} deleted."
        )


def effect_of(summary: ReplaySummary) -> Effect:
    """Return whose ratings a replay moved, and which published lists now differ."""
    moves = [Move(one.member_id, one.category.slug, one.before, one.after) for one in summary.moved]
    lists = RatingList.objects.in_bulk(summary.lists)
    facts = [
        Fact("lists", f"list {pk}", lines_change(lists[pk], lines), after=str(lines))
        for pk, lines in summary.lists.items()
    ]
    return Effect(moves=moves, facts=facts)


class Cause(StrEnum):
    """The cause of a change. For a decision, the outbox entry's change set says which one."""

    GAME = "game"
    """A single game was sent, entered or changed."""
    IMPORT = "import"
    """A file of games was imported."""
    FACTS = "facts"
    """Any other fact on which ratings depend has changed, such as a first rating."""
    REBUILD = "rebuild"
    """``manage.py replay`` found lines that the inputs don't give."""
    DECISION = "decision"
    EARLIER = "earlier"
    """Unknown: before there was an outbox."""
