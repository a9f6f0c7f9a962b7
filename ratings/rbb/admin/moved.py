"""A message about the members whose ratings an entered fact moved."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext, ngettext

from foa.text import points
from ratings.office.admin.deciding import moved_rows
from ratings.rbb.decisions.base import LedgerKind, effect_of
from ratings.rbb.ledger.summaries import ReplaySummary

_NAMED: Final = 5
"""Maximum number of members named in the message."""


def whose_ratings_moved(summary: ReplaySummary) -> str:
    """Say how many members' ratings moved and name some: lost or gained ratings, then largest changes."""
    moves = effect_of(summary).farthest
    named = [
        gettext("%(member)s, %(category)s: %(before)s → %(after)s")
        % {
            "member": row.name,
            "category": row.scale,
            "before": points(row.before),
            "after": points(row.after),
        }
        for row in moved_rows(LedgerKind(), moves[:_NAMED])
    ]
    sentence = (
        ngettext("%(count)d rating moved: %(named)s.", "%(count)d ratings moved: %(named)s.", len(moves))
        if len(moves) <= _NAMED
        else gettext("Ratings moved: %(count)d. The largest moves: %(named)s.")
    )
    return sentence % {"count": len(moves), "named": "; ".join(named)}
