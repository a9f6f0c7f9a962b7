"""Figures for a member's pages from their whole ledger, counted once for each new event."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple

from django.core.cache import cache
from django.db.models import OuterRef, Subquery

from members.models import Member
from ratings.rbb.ledger.history import history
from ratings.rbb.models import Game, Recalculation
from ratings.rbb.models.fields import EventType, change_id
from ratings.rbb.profile import Chart, Span, Summary, charts, summary

_SECONDS: Final = 3600

LATEST_LINES: Final = 10
_LATEST_DECISIONS: Final = 3


class Figures(NamedTuple):
    """Figures, and the name under which they are cached; empty for a past moment.

    ``decided``: keys of the latest recalculations in which people moved one of the member's latest lines, or
    removed a game's line, unless that was taken back. It is empty for a past moment, when nobody had decided
    them.
    """

    name: str
    summary: Summary
    charts: dict[Span, Chart]
    decided: tuple[int, ...] = ()


def figures(member: Member, now: datetime, as_of: datetime | None = None) -> Figures:
    """Return the figures of a member's ledger, now or up to a moment.

    The name contains each category's last ledger line, which changes with every new event, and its last
    recalculation, which is noted whenever earlier lines change. Recalculations of a category wait for each
    other, so a later one never has a smaller key.
    """
    if as_of is not None:
        steps = history(member.rating_changes.until(as_of))
        return Figures("", summary(steps, as_of), charts(steps, as_of))
    recalculated = Recalculation.objects.filter(category=OuterRef("category")).order_by("-at", "-pk")
    state = member.ratings.order_by("category").values_list(
        "last_change_id", Subquery(recalculated.values("pk")[:1])
    )
    name = f"figures:{member.pk}:{':'.join(f'{last}-{again}' for last, again in state)}"
    found: tuple[Summary, dict[Span, Chart], tuple[int, ...]] | None = cache.get(name)
    if found is None:
        steps = history(member.rating_changes.all())
        latest = _decided(member, (step.id for step in steps[-LATEST_LINES:]))
        found = summary(steps, now), charts(steps, now), latest
        cache.set(name, found, _SECONDS)
    return Figures(name, *found)


def _decided(member: Member, lines: Iterable[int]) -> tuple[int, ...]:
    """Return ``decided`` of :class:`Figures`. Void games are searched for among all of the member's games."""
    void = Game.objects.of(member.pk).filter(voided_at__isnull=False).order_by("-voided_at")
    gone = [
        change_id(EventType.GAME, game, black == member.pk, tie_rank=tie_rank)
        for game, black, tie_rank in void.values_list("pk", "black", "tie_rank")[:LATEST_LINES]
    ]
    found = Recalculation.objects.deciding([*gone, *lines]).in_force()[: 3 * _LATEST_DECISIONS]
    # One query for each category would find the same.
    return tuple(dict(found.values_list("change_set", "pk")).values())[:_LATEST_DECISIONS]
