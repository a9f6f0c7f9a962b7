"""What a member's page counts over their whole ledger, counted once for each new event."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.core.cache import cache
from django.db.models import OuterRef, Subquery

from members.models import Member
from ratings.models import Recalculation
from ratings.profile import Summary, summary
from ratings.services.ledger.history import history

_SECONDS: Final = 3600


def kept_summary(member: Member, now: datetime) -> tuple[str, Summary]:
    """The summary of a member's present ledger, and the name under which it is kept.

    The name has the last line of the ledger in each category, which every new event replaces, and the last
    recalculation there, which is noted whenever lines behind the last ones change. Recalculations of a
    category wait for each other, so a later one never has the smaller key.
    """
    recalculated = Recalculation.objects.filter(category=OuterRef("category")).order_by("-at", "-pk")
    state = member.ratings.order_by("category").values_list(
        "last_change_id", Subquery(recalculated.values("pk")[:1])
    )
    name = f"summary:{member.pk}:{':'.join(f'{last}-{again}' for last, again in state)}"
    found: Summary | None = cache.get(name)
    if found is None:
        found = summary(history(member.rating_changes.all()), now)
        cache.set(name, found, _SECONDS)
    return name, found
