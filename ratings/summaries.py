"""What a member's pages count over their whole ledger, counted once for each new event."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from django.core.cache import cache
from django.db.models import OuterRef, Subquery

from members.models import Member
from ratings.models import Recalculation
from ratings.profile import Chart, Span, Summary, charts, summary
from ratings.services.ledger.history import history

_SECONDS: Final = 3600


class Figures(NamedTuple):
    """What is counted, and the name under which it is kept; empty for a moment that is over."""

    name: str
    summary: Summary
    charts: dict[Span, Chart]


def figures(member: Member, now: datetime, as_of: datetime | None = None) -> Figures:
    """The figures of a member's present ledger, or counted up to a moment.

    The name has the last line of the ledger in each category, which every new event replaces, and the last
    recalculation there, which is noted whenever lines behind the last ones change. Recalculations of a
    category wait for each other, so a later one never has the smaller key.
    """
    if as_of is not None:
        steps = history(member.rating_changes.until(as_of))
        return Figures("", summary(steps, as_of), charts(steps, as_of))
    recalculated = Recalculation.objects.filter(category=OuterRef("category")).order_by("-at", "-pk")
    state = member.ratings.order_by("category").values_list(
        "last_change_id", Subquery(recalculated.values("pk")[:1])
    )
    name = f"figures:{member.pk}:{':'.join(f'{last}-{again}' for last, again in state)}"
    found: tuple[Summary, dict[Span, Chart]] | None = cache.get(name)
    if found is None:
        steps = history(member.rating_changes.all())
        found = summary(steps, now), charts(steps, now)
        cache.set(name, found, _SECONDS)
    return Figures(name, *found)
