"""Comparison of members: results against each other, and against shared opponents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from django.db.models import Count

from members.models import Member
from ratings.rbb.models import RatingChange
from ratings.rbb.models.keys import EventType
from ratings.rbb.profile import Results
from ratings.rules.time_controls import Category
from ratings.rules.units import DRAW, LOSS, WIN

COMMON_OPPONENTS: Final = 20

Scores = dict[tuple[int, int], Results]
"""Results by member and opponent, from the member's side."""


def head_to_head(members: Sequence[Member], category: Category) -> Scores:
    """Return the results of these members against each other in a category."""
    return _scores(members, category, {member.pk for member in members})


def common_opponents(members: Sequence[Member], category: Category) -> tuple[list[Member], Scores]:
    """Return the opponents whom all these members have met in a category, most games first, with results."""
    keys = [member.pk for member in members]
    met = (
        RatingChange.objects.of_kind(EventType.GAME)
        .filter(member__in=keys, category=category)
        .exclude(opponent__in=keys)
        .order_by()
        .values("opponent")
        .annotate(members=Count("member", distinct=True), games=Count("pk"))
        .filter(members=len(keys))
        .order_by("-games", "opponent")
    )
    shared = [row["opponent"] for row in met[:COMMON_OPPONENTS]]
    known = Member.everybody.in_bulk(shared)
    return [known[pk] for pk in shared], _scores(members, category, set(shared))


def _scores(members: Sequence[Member], category: Category, opponents: set[int]) -> Scores:
    counted: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    rows = (
        RatingChange.objects.of_kind(EventType.GAME)
        .filter(member__in=members, category=category, opponent__in=opponents)
        .order_by()
        .values_list("member", "opponent", "half_points")
        .annotate(number=Count("pk"))
    )
    for member, opponent, score, number in rows:
        counted[member, opponent][score] = number
    return {
        pair: Results(found.get(WIN, 0), found.get(DRAW, 0), found.get(LOSS, 0))
        for pair, found in counted.items()
    }
