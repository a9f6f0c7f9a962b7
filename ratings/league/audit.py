"""Audit checks of the league."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ratings.league.models import CycleList, League
from ratings.league.services.cycles import NotClosed, checksum, wrong_cycles
from ratings.office.audit import Finding, audited

_NAMED = 20
"""Maximum number of players that a finding names."""


@audited("league-results", "BAL", _("League cycles whose results don’t match the rounds"))
def cycle_results() -> Iterator[Finding]:
    """Yield closed cycles whose latest list differs from what boards and squads give."""
    for league in League.objects.order_by("pk"):
        try:
            wrong = wrong_cycles(league, at=timezone.now())
        except NotClosed as reason:
            text = gettext_noop("The cycles of %(league)s can’t be recalculated: %(reason)s.")
            yield Finding(f"league {league.pk}", text, {"league": str(league), "reason": str(reason)})
            continue
        for published, names in wrong:
            text = gettext_noop(
                "%(list)s: lines that don’t match the rounds: %(many)s. Players: %(players)s."
            )
            words = {
                "list": _name(published),
                "many": str(len(names)),
                "players": ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else ""),
            }
            key = f"cycle {published.cycle_id}"
            yield Finding(key, text, words, published.get_absolute_url())


@audited("league-lists", "BAL", _("League lists that don’t match their checksum"))
def list_checksums() -> Iterator[Finding]:
    """Yield published lists that differ from how they were published."""
    lists = CycleList.objects.filter(withdrawn_at=None)
    for one in lists.select_related("cycle__season__league").order_by("pk").iterator():
        found = checksum(one)
        if found != one.checksum:
            text = gettext_noop(
                "%(list)s was published with the checksum %(published)s. The checksum of its lines is "
                "now %(found)s."
            )
            words = {"list": _name(one), "published": one.checksum, "found": found}
            yield Finding(f"list {one.pk}", text, words, one.get_absolute_url())


def _name(published: CycleList) -> str:
    """Name a list in the same words in every language."""
    cycle = published.cycle
    season = cycle.season
    return f"{season.league.name}, {season.name}, {cycle.number}.{published.revision}"
