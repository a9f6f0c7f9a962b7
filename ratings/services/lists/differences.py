"""Whether a list still says what the ledger says by now: corrections that reach back behind it."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.cache import cache

from ratings.models.lists import RatingList
from ratings.models.recalculations import Recalculation
from ratings.services.lists.freezing import differing_members


@dataclass(frozen=True, slots=True)
class Difference:
    """So many members stand otherwise on a list than the ledger says of its moment since a correction."""

    members: int
    since: Recalculation


def difference(published: RatingList) -> Difference | None:
    """How a list differs from the ledger; None where it does not."""
    corrections = Recalculation.objects.filter(category=published.category, at__gt=published.published_at)
    last = corrections.reaching(published.as_of).first()
    if last is None:
        return None
    # Comparing a long list takes seconds, and only another correction can change what comes out.
    members = cache.get_or_set(
        f"differing:{published.pk}:{last.pk}:{last.at.timestamp()}",
        lambda: differing_members(published),
        timeout=None,
    )
    return Difference(members, last) if members else None
