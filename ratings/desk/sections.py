"""The member's cases on the page “My account”."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext

from foa.account.sections import Section, section
from members.models import Member
from ratings.desk.models import Case


@section
def cases_section(request: HttpRequest) -> Section | None:
    """For members: what is open, and what they can ask for."""
    member = Member.objects.filter(user=request.user.pk).first()
    if member is None:
        return None
    context = {"member": member, "open": Case.objects.open().filter(opener=member).count()}
    return Section(30, "cases", gettext("The office"), "desk/_account.html", context)
