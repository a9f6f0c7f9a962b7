"""Lists changed by later corrections, and the number of their lines affected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.core.cache import cache

from ratings.rbb.lists.freezing import differing_members
from ratings.rbb.lists.report import of_ledger
from ratings.rbb.models.lists import ListReview, RatingList
from ratings.rbb.models.recalculations import Recalculation

ON_THE_SPOT: Final = 100_000
"""Maximum number of lines compared during a request; the worker compares longer lists."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Number of members whose lines a correction changed after a list was published."""

    members: int
    since: Recalculation


def difference(published: RatingList) -> Difference | None:
    """Return how a list differs from the ledger; None if it doesn't."""
    corrections = Recalculation.objects.filter(category=published.category, at__gt=published.published_at)
    last = corrections.reaching(published.as_of).first()
    if last is None:
        return None
    # Comparing a long list takes seconds, and only another correction can change the result.
    members = cache.get_or_set(
        f"differing:{published.pk}:{last.pk}:{last.at.timestamp()}",
        lambda: differing_members(published),
        timeout=None,
    )
    return Difference(members, last) if members else None


def differing_lists() -> list[tuple[RatingList, int]]:
    """Return the monthly lists that differ from the ledger, first month first, with the number of lines.

    A correction behind long lists is noticed only after the worker has compared them.
    """
    lists: list[Any] = list(RatingList.objects.touched())
    reviews = ListReview.objects.defer("figures").in_bulk([one.pk for one in lists])
    found: list[tuple[RatingList, int]] = []
    left = ON_THE_SPOT
    for one in reversed(lists):
        review = reviews.get(one.pk)
        members = (review and review.differing) or 0
        if (review is None or review.last_recalculation != one.reached_by) and one.members <= left:
            left -= one.members
            now = difference(one)
            members = now.members if now else 0
        if members:
            found.append((one, members))
    return found[::-1]


def compare_lists() -> None:
    """Store how many lines differ on each list affected by a correction, with the ledger's figures for it."""
    lists: list[Any] = list(RatingList.objects.touched().select_related("previous"))
    reviews = ListReview.objects.in_bulk([one.pk for one in lists])
    for one in lists:
        review = reviews.get(one.pk)
        if review is not None and review.last_recalculation != one.reached_by:
            review.differing, review.last_recalculation = differing_members(one), one.reached_by
            review.figures |= of_ledger(one)
            review.save()
