"""Sections about FIDE's figures for a member, on pages of other rooms."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from members.models import Member
from ratings.fide.models import CONTROL_NAMES
from ratings.fide.services.first_ratings import state_of
from ratings.fide.services.players import compare_member
from ratings.fide.services.published import over_the_board
from ratings.office.page_sections import Page, PageSection, adds_to


@adds_to(Page.MEMBER_IN_ADMIN)
def compared_with_fide(member: Member, user: Any) -> PageSection:
    """Return the player of the FIDE list, how the member differs, and the first ratings (RBB 3.4)."""
    compared = compare_member(member)
    context = {
        "member": member,
        "player": compared.player,
        "warnings": compared.warnings,
        "ratings": [(CONTROL_NAMES[one.control], one.rating, one.period) for one in over_the_board(member)],
        "state": state_of(member, at=timezone.now()),
    }
    return PageSection("admin/fide/_member_part.html", context)


@adds_to(Page.OVER_THE_BOARD)
def published_by_fide(member: Member) -> PageSection | None:
    """Return rating and list of each control, as for JSON, or None for somebody on no FIDE list."""
    ratings = [
        {"control": CONTROL_NAMES[one.control], "rating": one.rating, "period": one.period}
        for one in over_the_board(member)
    ]
    context = {"source": "fide", "fide_id": member.fide_id, "ratings": ratings}
    return PageSection("fide/_profile_part.html", context) if ratings else None
