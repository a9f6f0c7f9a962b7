"""Comparison of members: results against each other, and against shared opponents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db.models import Count

from members.models import Member
from ratings.rbb.models import RatingChange
from ratings.rbb.models.fields import EventType
from ratings.rbb.profile import Results, results_by_key
from ratings.rules.time_controls import Category

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
    rows = (
        RatingChange.objects.of_kind(EventType.GAME)
        .filter(member__in=members, category=category, opponent__in=opponents)
        .order_by()
        .values_list("member", "opponent", "half_points")
        .annotate(number=Count("pk"))
    )
    return results_by_key(((member, opponent), score, number) for member, opponent, score, number in rows)
