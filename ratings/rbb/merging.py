"""Merging two members, and undoing it (decision 0113)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from members.former import Arrival, Merge, arrived_for
from members.models import Member
from members.words import index_names
from ratings.office.effects import Fact
from ratings.office.relations import Merging, declarations, refuse_undeclared
from ratings.rbb.ledger.locks import lock_members
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.member_files import tell_of_members


@dataclass(slots=True)
class Merged:
    """Result of a merge: the member, the text for people, and the members whose ratings changed."""

    member: Member
    other: Member
    facts: list[Fact]
    replayed: ReplaySummary


def merge_members(*, member: Member, other: Member, at: datetime, by: Any = None, note: str = "") -> Merged:
    """Merge the other account into the member's, with one replay of the ledger.

    The other's row is kept, so that publications keep naming it, but it is hidden from lists of members,
    searches and forms. Raises ValidationError if they can't be one person, or if a relation to members
    isn't declared.
    """
    refuse_undeclared(Member)
    with deferred() as replayed:
        first, second = _locked(member, other)
        work = Merging(member=first, other=second, at=at, by=by, note=note)
        if work.member.merged_into_id is not None or work.other.merged_into_id is not None:
            raise ValidationError(_("One of the two has already been merged."))
        kept = {one.kept_as: part for one in declarations() if (part := one.merge(work)) is not None}
        Merge.objects.create(other=work.other, merged_at=at, kept=kept)
        index_names([work.member.pk, work.other.pk])
        tell_of_members([work.member.pk, work.other.pk])
    return Merged(work.member, work.other, work.facts, replayed.summary)


def unmerge_members(*, merge: Merge, at: datetime, by: Any = None, note: str = "") -> Merged:
    """Undo a merge and give the other account its own back, with whatever has come under its names since.

    Anything else that is newer stays with the remaining member.

    Raises ValidationError if the member has since been merged themselves, or if the FIDE ID or login now
    belongs to another member.
    """
    with deferred() as replayed:
        member, other = _locked(Member.everybody.get(merged=merge.other), merge.other)
        came = arrived_for(other.pk)
        work = Merging(member=member, other=other, at=at, by=by, note=note, arrived=came)
        if work.member.merged_into is not None:
            told = _("%(member)s has since been merged into %(into)s. Reverse that merge first.")
            raise ValidationError(told % {"member": work.member, "into": work.member.merged_into})
        for one in declarations():
            if one.kept_as in merge.kept:
                one.give_back(work, merge.kept[one.kept_as])
        merge.delete()
        Arrival.objects.filter(account=other.pk).delete()
        index_names([work.member.pk, work.other.pk])
        tell_of_members([work.member.pk, work.other.pk])
    return Merged(work.member, work.other, work.facts, replayed.summary)


def _locked(member: Member, other: Member) -> tuple[Member, Member]:
    """Return both members as now stored, locked against changes and new games."""
    if member.pk == other.pk:
        raise ValidationError(_("Choose two different accounts."))
    lock_members((member.pk, other.pk))
    found = Member.everybody.in_bulk((member.pk, other.pk))
    return found[member.pk], found[other.pk]
