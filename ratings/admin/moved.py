"""Whose ratings a change moved, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext

from foa.text import points
from members.models import Member
from ratings.labels import CATEGORY_NAMES
from ratings.rules.rounding import points_or_none
from ratings.rules.units import Hundredths
from ratings.services.ledger.replay import Moved

SHOWN: Final = 1_000
"""So many rows a table of moved ratings shows: an old game moves those of nearly everybody."""

_NAMED: Final = 5
"""So many members a message names."""


class MovedRow(NamedTuple):
    """A rating before and after, None while unrated, and the difference where there is one."""

    member: Member
    category: str | Promise
    before: Decimal | None
    after: Decimal | None
    change: Decimal | None


def moved_rows(moved: Sequence[Moved], limit: int = SHOWN) -> list[MovedRow]:
    """The ratings that moved: those lost or gained first, then by how far."""
    first = sorted(moved, key=_how_far)[:limit]
    members = Member.objects.in_bulk([one.member_id for one in first])
    return [
        MovedRow(
            members[one.member_id],
            CATEGORY_NAMES[one.category],
            points_or_none(one.before),
            points_or_none(one.after),
            points_or_none(_difference(one)),
        )
        for one in first
    ]


def whose_ratings_moved(moved: Sequence[Moved]) -> str:
    """A sentence for a message: how many, and the first few."""
    named = [
        gettext("%(member)s, %(category)s: %(before)s → %(after)s")
        % {
            "member": row.member,
            "category": row.category,
            "before": points(row.before),
            "after": points(row.after),
        }
        for row in moved_rows(moved, _NAMED)
    ]
    sentence = (
        ngettext("%(count)d rating moved: %(named)s.", "%(count)d ratings moved: %(named)s.", len(moved))
        if len(moved) <= _NAMED
        else gettext("%(count)d ratings moved, these the farthest: %(named)s.")
    )
    return sentence % {"count": len(moved), "named": "; ".join(named)}


def _how_far(one: Moved) -> tuple[bool, int, int, int]:
    difference = _difference(one)
    return difference is not None, -abs(difference or 0), one.category, one.member_id


def _difference(one: Moved) -> Hundredths | None:
    return None if one.before is None or one.after is None else Hundredths(one.after - one.before)
