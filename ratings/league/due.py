"""Cycles of the team league that are due to be closed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.league.models import Cycle
from ratings.league.services.cycles import NotClosed, check_closable, missing
from ratings.office.due import Due, finds_due


@finds_due(_("League"), "league.close_cyclelist")
def cycles(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the next cycle of each season whose rounds are all complete."""
    for cycle in Cycle.objects.filter(closed_at=None).select_related("season").order_by("season", "number"):
        try:
            check_closable(cycle)
        except NotClosed:
            continue
        if missing(cycle):
            text = gettext("%(cycle)s: close the cycle, or enter the missing results") % {"cycle": cycle}
        else:
            text = gettext("All rounds entered: %(cycle)s") % {"cycle": cycle}
        link = reverse("admin:league_cycle_close", args=(cycle.pk,))
        yield Due(text=text, button=gettext("Close the cycle"), link=link)
