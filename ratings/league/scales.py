"""The scale of a league's lists, from cycle to cycle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from django.utils.translation import gettext

from ratings.league.models import CycleList, CycleResult, League
from ratings.office.fields import hundredths
from ratings.office.scales import LISTS, ListScale, Scale, scale_of


def scales() -> Iterator[Scale]:
    """Yield the scale of each league that has lists."""
    for league in League.objects.filter(seasons__cycles__lists__reopened_at=None).distinct():
        title = gettext("League: %(name)s") % {"name": league}
        yield Scale(f"league-{league.pk}", title, partial(_lists, league))


def _lists(league: League) -> Iterator[ListScale]:
    lists = CycleList.objects.in_force().filter(cycle__season__league=league).last_revisions()
    before: set[int] | None = None
    for one in reversed(lists.select_related("cycle__season").newest_first()[:LISTS]):
        rated = CycleResult.objects.filter(cycle_list=one, new__isnull=False).order_by()
        ratings = dict(rated.values_list("player", hundredths("new")))
        since = () if before is None else (len(ratings.keys() - before), len(before - ratings.keys()))
        yield scale_of(Counter(ratings.values()), str(one.cycle), one.get_absolute_url(), *since)
        before = set(ratings)
