"""What decisions share that move ratings of the ledger."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from members.models import Member
from ratings.labels import CATEGORY_NAMES
from ratings.models import RatingList
from ratings.office.effects import Effect, Fact, Move, lines_change
from ratings.office.kinds import Kind
from ratings.rules.time_controls import Category
from ratings.services.ledger.summaries import ReplaySummary


class LedgerKind(Kind):
    """A decision after which the ledger is replayed: whose ratings move are members, the scale a category."""

    words = {**Kind.words, **{category.slug: CATEGORY_NAMES[category] for category in Category}}

    def name_subjects(self, subjects: Collection[int]) -> Mapping[int, tuple[str, str]]:
        """Members, with their pages."""
        members = Member.everybody.in_bulk(subjects)
        return {pk: (str(member), member.get_absolute_url()) for pk, member in members.items()}

    def name_scale(self, scale: str) -> str:
        """The category."""
        return str(CATEGORY_NAMES[Category.from_slug(scale)])


def effect_of(summary: ReplaySummary) -> Effect:
    """Whose ratings a replay moved, and which published lists say something else since."""
    moves = [Move(one.member_id, one.category.slug, one.before, one.after) for one in summary.moved]
    lists = RatingList.objects.in_bulk(summary.lists)
    facts = [
        Fact("lists", f"list {pk}", lines_change(lists[pk], lines), after=str(lines))
        for pk, lines in summary.lists.items()
    ]
    return Effect(moves=moves, facts=facts)
