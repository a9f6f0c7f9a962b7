"""Members' ratings in FIDE's lists in force."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from members.models import Member
from ratings.fide.models import FidePlayer
from ratings.fide.services.lists import in_force
from ratings.formats.frl import FideControl


class OverTheBoard(NamedTuple):
    """A published rating in a control (None if unrated there), with the month of the list."""

    control: FideControl
    rating: int | None
    period: date


def over_the_board(member: Member) -> list[OverTheBoard]:
    """Return the member's ratings in the lists in force, by control; empty if they are in no list."""
    player = FidePlayer.objects.filter(pk=member.fide_id).first() if member.fide_id else None
    if player is None:
        return []
    return [
        OverTheBoard(control, player.rating(control), fide_list.period)
        for control, fide_list in in_force().items()
        if fide_list is not None
    ]
