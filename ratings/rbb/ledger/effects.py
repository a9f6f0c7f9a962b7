"""The effect of a decision, from its replay."""

from __future__ import annotations

from ratings.office.effects import Effect, Fact, Move, lines_change
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models.lists import RatingList


def effect_of(summary: ReplaySummary) -> Effect:
    """Return whose ratings a replay moved, and which published lists now differ."""
    moves = [Move(one.member_id, one.category.slug, one.before, one.after) for one in summary.moved]
    lists = RatingList.objects.in_bulk(summary.lists)
    facts = [
        Fact("lists", f"list {pk}", lines_change(lists[pk], lines), after=str(lines))
        for pk, lines in summary.lists.items()
    ]
    return Effect(moves=moves, facts=facts)
