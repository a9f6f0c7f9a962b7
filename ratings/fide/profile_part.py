"""FIDE's published ratings of a member, on the member's public page."""

from __future__ import annotations

from members.models import Member
from ratings.fide.models import CONTROL_NAMES
from ratings.fide.services.published import over_the_board
from ratings.office.rooms import Part


def fide_part(member: Member) -> Part | None:
    """Rating and list of each control, as for JSON; None for somebody who is on no FIDE list."""
    ratings = [
        {"control": CONTROL_NAMES[one.control], "rating": one.rating, "period": one.period}
        for one in over_the_board(member)
    ]
    context = {"source": "fide", "fide_id": member.fide_id, "ratings": ratings}
    return Part("fide/_profile_part.html", context) if ratings else None
