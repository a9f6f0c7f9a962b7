"""Template tags of the admin's first page: due tasks, and the arena's figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from django import template
from django.utils import timezone

from foa.monitoring.health import is_worker_alive
from ratings.office.due import Due, due_and_put_off
from ratings.office.upkeep import waiting_since
from ratings.rbb.arena_figures import line, means, played

register = template.Library()

_NO_DATE: Final = datetime.max.replace(tzinfo=UTC)


@register.simple_tag(takes_context=True)
def due(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return tasks for this user, for everybody with the right, and those put off.

    Tasks are grouped by kind, by date, undated ones last; the kind with the oldest task comes first.
    """
    due, put_off = due_and_put_off(context["user"], timezone.now())
    found = sorted(due, key=lambda one: one.at or _NO_DATE)
    return {
        "mine": _by_kind(one for one in found if one.mine),
        "others": _by_kind(one for one in found if not one.mine),
        "put_off": sorted(put_off, key=lambda one: one[1].until),
    }


def _by_kind(due: Iterable[Due]) -> dict[str, list[Due]]:
    """Return the tasks of each kind, in the order in which they come."""
    kinds: dict[str, list[Due]] = {}
    for one in due:
        kinds.setdefault(one.kind, []).append(one)
    return kinds


@register.simple_tag
def figures() -> dict[str, Any]:
    """Return games a day, mean ratings, and the worker's queue."""
    now = timezone.now()
    days, lists = played(now), means()
    return {
        "days": days,
        "games": sum(day.games for day in days),
        "games_line": line([day.games for day in days]),
        "means": [
            (one, line([mean for _month, mean in one.by_month]) if len(one.by_month) > 1 else None)
            for one in lists
        ],
        "waiting_since": waiting_since(now),
        "is_alive": is_worker_alive(),
    }
