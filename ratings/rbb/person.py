"""The page of a member in the arena, for other pages about the same person."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from members.models import Member


def arena_page(member: Member) -> Iterator[tuple[str, str | Promise]]:
    """Yield the link to the arena profile, which every member has."""
    yield member.get_absolute_url(), _("Arena profile")
