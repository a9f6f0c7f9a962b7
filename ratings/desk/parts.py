"""What the desk adds to pages of other rooms."""

from __future__ import annotations

from typing import Any, Final

from members.models import Member
from ratings.desk.models import Case, MemberNote
from ratings.office.models import ChangeSet
from ratings.office.rooms import Part

_LATEST: Final = 20


def cases_of_member(member: Member, user: Any) -> Part | None:
    """The cases of a member and what staff noted about them, for whoever may see either; never for them."""
    if member.user_id == user.pk:
        return None
    may_see_cases, may_see_notes = user.has_perm("desk.view_case"), user.has_perm("desk.view_membernote")
    if not (may_see_cases or may_see_notes):
        return None
    cases = Case.objects.of_member(member).select_related("owner")
    notes = MemberNote.objects.filter(member=member).select_related("by")
    context = {
        "member": member,
        "cases": cases[:_LATEST] if may_see_cases else None,
        "notes": notes[:_LATEST] if may_see_notes else None,
        "more_notes": may_see_notes and notes[_LATEST : _LATEST + 1].exists(),
        "may_open": user.has_perm("desk.add_case"),
        "may_note": user.has_perm("desk.add_membernote"),
    }
    return Part("admin/desk/_member_part.html", context)


def cases_of_change_set(change_set: ChangeSet) -> Part | None:
    """The cases that a change set settled, as everybody may read of them."""
    cases = list(Case.objects.published().filter(change_set=change_set).order_by("pk"))
    return Part("desk/_of_change_set.html", {"cases": cases}) if cases else None
