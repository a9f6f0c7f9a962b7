"""Whether a list still agrees with the ledger, or later corrections changed it."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.cache import cache

from ratings.models.lists import RatingList
from ratings.models.recalculations import Recalculation
from ratings.services.lists.freezing import differing_members


@dataclass(frozen=True, slots=True)
class Difference:
    """How many members' lines a correction changed after a list was published."""

    members: int
    since: Recalculation


def difference(published: RatingList) -> Difference | None:
    """How a list differs from the ledger; None where it does not."""
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
