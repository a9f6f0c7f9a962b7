"""Members side by side in a category: ratings, results against each other, and against common opponents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from members.models import Member
from ratings.rbb import profile
from ratings.rbb.ledger.history import history
from ratings.rbb.models.ledger import RatingChangeQuerySet
from ratings.rbb.profile import Chart, ProfileStanding, Results, Span
from ratings.rbb.profile.head_to_head import Scores, common_opponents, head_to_head
from ratings.rbb.profile.results import ResultsByColour
from ratings.rbb.summaries import Figures, figures
from ratings.rules.time_controls import Category

MOST: Final = 4
"""Maximum number of members compared at once."""


class MemberStanding(NamedTuple):
    """A member, and where they stand in the category."""

    member: Member
    standing: ProfileStanding


class CommonOpponent(NamedTuple):
    """An opponent whom all compared members have met, and each member's results by username."""

    opponent: Member
    results: dict[str, Results]


class Comparison(NamedTuple):
    """Members in the order in which they were asked for.

    ``mutual``: results against each other. ``common``: opponents whom all have met, most games first.
    ``scores``: results against these.
    """

    category: Category
    members: Sequence[MemberStanding]
    charts: Sequence[Chart]
    mutual: Scores
    common: Sequence[Member]
    scores: Scores

    @property
    def head_to_head(self) -> list[tuple[Member, Member, Results]]:
        """Return the results against each other, from the side of the first of two."""
        who = [one.member for one in self.members]
        return [
            (member, other, results)
            for member in who
            for other in who
            if (results := self.mutual.get((member.pk, other.pk)))
        ]

    @property
    def against_common(self) -> list[CommonOpponent]:
        """Return the common opponents with the results of each member against them."""
        return [
            CommonOpponent(
                opponent,
                {one.username: self.scores[one.pk, opponent.pk] for one, _standing in self.members},
            )
            for opponent in self.common
        ]


def compare(members: Sequence[Member], asked: Category | None, now: datetime) -> Comparison:
    """Compare members in a category; without one, where they have the most games together."""
    counted = [figures(member, now) for member in members]
    category = asked or _most_played(counted)
    both = len(members) > 1
    common, scores = common_opponents(members, category) if both else ([], {})
    return Comparison(
        category=category,
        members=[
            MemberStanding(member, _standing(found, category, now))
            for member, found in zip(members, counted, strict=True)
        ],
        charts=[found.charts[Span.ALL] for found in counted],
        mutual=head_to_head(members, category) if both else {},
        common=common,
        scores=scores,
    )


def results_between(mutual: RatingChangeQuerySet) -> list[tuple[Category, ResultsByColour]]:
    """Return the results of one member against another, in each category in which they have played.

    ``mutual``: the member's lines of games against the other.
    """
    games = profile.by_category(history(mutual))
    return [(category, profile.results_by_colour(found)) for category, found in games.items() if found]


def _most_played(counted: Sequence[Figures]) -> Category:
    return max(
        Category,
        key=lambda category: (
            min((_played(one, category) for one in counted), default=0),
            sum(_played(one, category) for one in counted),
            category == Category.BLITZ,
        ),
    )


def _played(found: Figures, category: Category) -> int:
    return next(one.results.both.games for one in found.summary.statistics if one.category == category)


def _standing(found: Figures, category: Category, now: datetime) -> ProfileStanding:
    return next(one for one in found.summary.standings_at(now) if one.category == category)
