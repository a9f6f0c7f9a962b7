"""Sections for members on the page “My account”."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext

from foa.account.sections import Section, section
from members.models import member_of


@section
def privacy_section(request: HttpRequest) -> Section | None:
    """Return the privacy section, for members only."""
    member = member_of(request.user)
    if member is None:
        return None
    return Section(40, "privacy", gettext("Privacy"), "members/_privacy.html", member)
