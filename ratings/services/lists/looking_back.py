"""RBB 1.4: what later corrections changed about the ratings at a past moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import DEFAULT_DB_ALIAS
from django.utils import timezone

from ratings.models.recalculations import SETTLED_AFTER, Recalculation
from ratings.rules.time_controls import Category

_TOLD: Final = 100
"""Nothing is counted further."""


@dataclass(frozen=True, slots=True)
class LookBack:
    """A moment whose ratings are looked at.

    ``settled``: no result that ended before it may still come in without being told of. ``last``: the last
    correction that reached back to it after that, one of so many ``corrections`` (``more``: at least).
    """

    moment: datetime
    settled: bool
    last: Recalculation | None
    corrections: int
    more: bool


def look_back(moment: datetime, categories: Sequence[Category]) -> LookBack:
    """What has happened to the ratings of this moment in these categories."""
    found = list(Recalculation.objects.filter(category__in=categories).after_settling(moment)[: _TOLD + 1])
    return LookBack(
        moment,
        settled=timezone.now() - moment >= SETTLED_AFTER,
        last=found[0] if found else None,
        corrections=min(len(found), _TOLD),
        more=len(found) > _TOLD,
    )


def recalculated_at(category: Category, moment: datetime, using: str = DEFAULT_DB_ALIAS) -> datetime | None:
    """When a correction last changed what the ledger says of this moment, None if none did."""
    corrections = Recalculation.objects.using(using).filter(category=category)
    last = corrections.after_settling(moment).first()
    return None if last is None else last.at
