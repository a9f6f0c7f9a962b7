"""Sections on other pages: a member's cases, notes and former names; cases of change sets and subjects."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext

from foa.account.sections import Section, section
from members.models import Member, member_of
from ratings.desk.models import Case, LikelyDuplicate, MemberNote
from ratings.office.models import ChangeSet
from ratings.office.page_sections import Page, PageSection, adds_to

_LATEST: Final = 20
_DOUBLES: Final = 10


@adds_to(Page.MEMBER_IN_ADMIN)
def cases_of_member(member: Member, user: Any) -> PageSection | None:
    """Return a member's cases and staff notes for users who may see either. Members never see their own."""
    if member.user_id == user.pk:
        return None
    may_see_cases, may_see_notes = user.has_perm("desk.view_case"), user.has_perm("desk.view_membernote")
    if not (may_see_cases or may_see_notes):
        return None
    cases = Case.objects.of_member(member).shown_to(user).select_related("owner")
    notes = MemberNote.objects.filter(member=member).select_related("by")
    context = {
        "member": member,
        "cases": cases[:_LATEST] if may_see_cases else None,
        "notes": notes[:_LATEST] if may_see_notes else None,
        "more_notes": may_see_notes and notes[_LATEST : _LATEST + 1].exists(),
        "may_open": user.has_perm("desk.add_case"),
        "may_note": user.has_perm("desk.add_membernote"),
    }
    return PageSection("admin/desk/_member_part.html", context)


@adds_to(Page.CHANGE_SET)
def cases_of_change_set(change_set: ChangeSet) -> PageSection | None:
    """Return the cases that a change set settled, as everybody may read them."""
    cases = list(Case.objects.published().filter(change_set=change_set).order_by("pk"))
    return PageSection("desk/_of_change_set.html", {"cases": cases}) if cases else None


@adds_to(Page.SUBJECT_IN_ADMIN)
def cases_of_subject(about: str, key: int, text: str, user: Any) -> PageSection | None:
    """Return the cases about a subject, and the button that opens one with this text."""
    if not user.has_perm("desk.view_case"):
        return None
    cases = list(Case.objects.about(about, key).select_related("owner").order_by("-pk"))
    is_open = any(one.state == Case.State.OPEN for one in cases)
    context = {
        "about": about,
        "key": key,
        "text": text,
        "cases": cases,
        "may_open": not is_open and user.has_perm("desk.add_case"),
    }
    return PageSection("admin/desk/_subject_part.html", context)


@adds_to(Page.MEMBER_IN_ADMIN)
def names_of_member(member: Member, user: Any) -> PageSection | None:
    """Return former names and likely duplicates, for the office's page of a member."""
    names = list(member.former_names.all()) if user.has_perm("members.view_formername") else []
    doubles = []
    if user.has_perm("desk.view_likelyduplicate"):
        pairs = LikelyDuplicate.objects.shown_to(user).open().filter(Q(first=member) | Q(second=member))
        pairs = pairs.select_related("first", "second").order_by("pk")[:_DOUBLES]
        doubles = [pair.second if pair.first == member else pair.first for pair in pairs]
    if not names and not doubles:
        return None
    context = {
        "member": member,
        "names": names,
        "doubles": doubles,
        "may_delete": user.has_perm("members.delete_formername"),
    }
    return PageSection("admin/desk/_former_names.html", context)


@section
def cases_section(request: HttpRequest) -> Section | None:
    """Return a member's open cases, and what they can ask for."""
    member = member_of(request.user)
    if member is None:
        return None
    context = {"member": member, "open": Case.objects.open().filter(opener=member).count()}
    return Section(30, "cases", gettext("Questions and cases"), "desk/_account.html", context)
