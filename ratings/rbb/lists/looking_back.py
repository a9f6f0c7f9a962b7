"""RBB 1.4: what later corrections changed about the ratings at a past moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone

from ratings.office.models import ChangeSet
from ratings.rbb.models.recalculations import SETTLED_AFTER, Recalculation
from ratings.rules.time_controls import Category

_TOLD: Final = 100
"""Maximum number counted."""


@dataclass(frozen=True, slots=True)
class LookBack:
    """Later corrections to the ratings at a past moment.

    ``settled``: all earlier results are in, or would be registered if they came now. ``entries``: the
    register's entries that have affected the moment since then, latest first (``more``: at least these).
    ``last``: the last recalculation by one of them; ``late``: the last one by a late result that was its
    players' newest, and so has no entry.
    """

    moment: datetime
    settled: bool
    entries: list[ChangeSet]
    more: bool
    last: Recalculation | None
    late: Recalculation | None


def look_back(moment: datetime, categories: Sequence[Category]) -> LookBack:
    """Return what has changed about the ratings of this moment in these categories."""
    reaching = Recalculation.objects.filter(category__in=categories).after_settling(moment)
    found = list(reaching.select_related("change_set")[: _TOLD + 1])
    told = found[:_TOLD]
    return LookBack(
        moment,
        settled=timezone.now() - moment >= SETTLED_AFTER,
        # One for each category makes one decision.
        entries=list(dict.fromkeys(one.change_set for one in told if one.change_set)),
        more=len(found) > _TOLD,
        last=next((one for one in told if one.change_set_id), None),
        late=next((one for one in told if one.change_set_id is None), None),
    )


def recalculated_at(category: Category, moment: datetime) -> datetime | None:
    """Return when a correction last changed the ledger for this moment, or None."""
    last = Recalculation.objects.filter(category=category).after_settling(moment).first()
    return None if last is None else last.at
