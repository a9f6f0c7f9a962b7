"""The card of a member over the board, for other pages about the same person."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from members.models import Member
from ratings.otb.models import OtbListEntry, TournamentResult


def card_page(member: Member) -> Iterator[tuple[str, str | Promise]]:
    """For who is on one of the office's lists or played a tournament that counts for one."""
    known = (OtbListEntry.objects, TournamentResult.objects)
    if member.fide_id and any(rows.filter(fide_id=member.fide_id).exists() for rows in known):
        yield reverse("otb:player", args=(member.fide_id,)), _("Over the board")
