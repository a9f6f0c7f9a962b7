"""Sections about FIDE's figures for a member, on pages of other rooms."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from members.models import Member
from ratings.fide.models import CONTROL_NAMES, FidePlayer
from ratings.fide.services.first_ratings import state_of
from ratings.fide.services.lists import in_force
from ratings.fide.services.players import compare_member
from ratings.formats.frl.rows import FideControl
from ratings.office.page_sections import Page, PageSection, adds_to, has_facts


@adds_to(Page.MEMBER_IN_ADMIN)
def compared_with_fide(member: Member, user: Any) -> PageSection:
    """Return the player of the FIDE list, how the member differs, and the first ratings (RBB 3.4)."""
    compared = compare_member(member)
    context = {
        "member": member,
        "player": compared.player,
        "warnings": compared.warnings,
        "ratings": [
            (CONTROL_NAMES[control], rating, period) for control, rating, period in _over_the_board(member)
        ],
        "state": state_of(member, at=timezone.now()),
    }
    return PageSection("admin/fide/_member_part.html", context)


class PublishedRatingOfControlSerializer(serializers.Serializer[Any]):
    """A rating on FIDE's list in force."""

    control = serializers.ChoiceField([control.value for control in FideControl], source="slug")
    rating = serializers.IntegerField(allow_null=True, help_text="null: unrated.")
    period = serializers.DateField(help_text="The first day of the list’s month.")


@has_facts(Page.OVER_THE_BOARD, "fide")
class OnFideListsSerializer(serializers.Serializer[Any]):
    """A member on FIDE's lists in force."""

    fide_id = serializers.IntegerField()
    ratings = PublishedRatingOfControlSerializer(many=True)


@adds_to(Page.OVER_THE_BOARD)
def published_by_fide(member: Member) -> PageSection | None:
    """Return rating and list of each control, as for JSON, or None for somebody on no FIDE list."""
    ratings = [
        {"control": CONTROL_NAMES[control], "slug": control.value, "rating": rating, "period": period}
        for control, rating, period in _over_the_board(member)
    ]
    context = {"source": "fide", "fide_id": member.fide_id, "ratings": ratings}
    return PageSection("fide/_profile_part.html", context) if ratings else None


def _over_the_board(member: Member) -> list[tuple[FideControl, int | None, date]]:
    """Return control, rating and month of each control in force; empty for somebody on no FIDE list."""
    player = FidePlayer.objects.filter(pk=member.fide_id).first() if member.fide_id else None
    if player is None:
        return []
    return [
        (control, player.rating(control), fide_list.period)
        for control, fide_list in in_force().items()
        if fide_list is not None
    ]
