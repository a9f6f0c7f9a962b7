"""Erasing a member who has left: the account is kept as a row without a person (decision 0115)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from members.models import Member
from members.usernames import key_of
from members.words import index_names
from ratings.office.effects import Fact
from ratings.office.personal import Erasing, Person
from ratings.office.relations import declarations, refuse_undeclared
from ratings.rbb.ledger.locks import lock_members
from ratings.rbb.member_files import tell_of_members
from ratings.rbb.personal.people import person_of, pseudonym


@dataclass(slots=True)
class Erased:
    """Result of an erasure: the member's present row, and what was done, without names."""

    member: Member
    facts: list[Fact]


def erase_member(*, member: Member, at: datetime, by: Any = None, note: str = "") -> Erased:
    """Remove the person from everything stored. Ratings, games and the ledger stay unchanged.

    ``note``: the reason, for staff. It is kept, so it mustn't name the person. Raises ValidationError if
    erasure isn't possible.
    """
    refuse_undeclared(Member)
    with transaction.atomic():
        # A new game of theirs refers to the row, so it is waited for before the row gets another username.
        lock_members([member.pk])
        person = person_of(Member.everybody.get(pk=member.pk))
        _check(person, note)
        work = Erasing(person=person, at=at, by=by, note=note)
        for declaration in declarations():
            declaration.erase(work)
        index_names(person.keys)
        tell_of_members(person.keys)
        return Erased(Member.everybody.get(pk=member.pk), work.facts)


def _check(person: Person, note: str) -> None:
    member = person.member
    if member.withdrawn_at is not None or member.merged_into_id is not None:
        raise ValidationError(_("%(member)s was erased or merged already.") % {"member": member})
    user = member.user
    if user is not None and (user.is_staff or user.is_superuser):
        told = _("%(member)s has a login of the office's staff. End that first.")
        raise ValidationError(told % {"member": member})
    if person.called.is_in(note):
        raise ValidationError(
            _("Don't name the member in the note: it is kept. Go back and leave the name out.")
        )
    new = [key_of(pseudonym(one).username) for one in person.accounts]
    taken = Member.everybody.filter(username_key__in=new).exclude(pk__in=person.keys).first()
    if taken is not None:
        told = _("Another member is called “%(username)s”. Rename them first.")
        raise ValidationError(told % {"username": taken.username})
