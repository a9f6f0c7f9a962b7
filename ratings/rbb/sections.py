"""The member's ratings on the page “My account”, and all that is stored about them."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from foa.account.sections import Section, section
from members.models import Member


@section
def ratings_section(request: HttpRequest) -> Section | None:
    """Return the section for members; full members may request a list (RBB 1.4)."""
    member = Member.objects.filter(user=request.user.pk).first()
    if member is None:
        return None
    is_full = Member.objects.full(at=timezone.now()).filter(pk=member.pk).exists()
    context = {"member": member, "is_full": is_full}
    return Section(10, "ratings", gettext("My ratings"), "ratings/_account.html", context)
