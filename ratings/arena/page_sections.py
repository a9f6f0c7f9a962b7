"""Players' absences during a game, for its page."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from foa.text import second
from members.models import Member
from ratings.office.page_sections import Page, PageSection, adds_to
from ratings.rbb.models import Game
from ratings.rules.rbb.presence import Absence, Side, absences
from ratings.rules.rbb.terminations import Termination

_LOSERS = {
    Termination.WHITE_GONE: (Side.WHITE,),
    Termination.BLACK_GONE: (Side.BLACK,),
    Termination.BOTH_GONE: tuple(Side),
}


class Row(NamedTuple):
    """An absence of a player, and what followed."""

    member: Member
    gone: datetime
    back: datetime | None
    followed: str


@adds_to(Page.GAME)
def timeline(game: Game) -> PageSection | None:
    """RBB 2.4: return the absences in a game, earliest first; None if there are none."""
    if not game.external_id:
        return None  # not sent by a server
    # The rules sort the events; the model's own order would join the games.
    events = (one.event for one in game.presence.order_by())
    found = sorted(absences(events), key=lambda one: one.gone)
    rows = [
        Row(
            game.white if one.player == Side.WHITE else game.black,
            one.gone,
            one.back,
            _what_followed(game, one),
        )
        for one in found
    ]
    return PageSection("arena/_timeline.html", {"rows": rows, "articles": ("2.4",)}) if rows else None


def _what_followed(game: Game, absence: Absence) -> str:
    in_time = absence.back is not None and absence.back <= absence.limit
    if in_time:
        return _("Returned in time.")
    words = {"moment": second(absence.limit)}
    if game.ended_at is None and not game.rated:
        return _("The game is unrated, so this doesn’t decide it.")
    if game.ended_at is None:
        return _("Loses at %(moment)s unless they return by then.") % words
    if game.ended_at == absence.limit and absence.player in _LOSERS.get(Termination(game.termination), ()):
        if game.termination == Termination.BOTH_GONE:
            return (
                _("Both had been disconnected for 60 seconds at %(moment)s: the game ended unrated.") % words
            )
        return _("Disconnected for more than 60 seconds: lost at %(moment)s.") % words
    if game.ended_at <= absence.limit:
        return _("The game ended first.")
    return _("Disconnected for more than 60 seconds.")
