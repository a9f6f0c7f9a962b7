"""What FIDE publishes of a member, on the office's page of them."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from members.models import Member
from ratings.fide.models import CONTROL_NAMES
from ratings.fide.services.first_ratings import state_of
from ratings.fide.services.players import compare_member
from ratings.fide.services.published import over_the_board
from ratings.office.rooms import Part


def fide_part(member: Member, user: Any) -> Part:
    """The player of the FIDE list, in what the member differs, and whether first ratings were given (3.4)."""
    compared = compare_member(member)
    context = {
        "member": member,
        "player": compared.player,
        "warnings": compared.warnings,
        "ratings": [(CONTROL_NAMES[one.control], one.rating, one.period) for one in over_the_board(member)],
        "state": state_of(member, at=timezone.now()),
    }
    return Part("admin/fide/_member_part.html", context)
