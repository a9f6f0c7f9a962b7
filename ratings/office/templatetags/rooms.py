"""Sections that rooms add to pages of other rooms."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from ratings.office.page_sections import Page, PageSection, sections_of

register = template.Library()


@register.simple_tag(takes_context=True)
def profile_actions(context: Context, member: Any) -> list[PageSection]:
    """Return the actions that a logged-in user has for a member; none for visitors."""
    user = context["user"]
    return sections_of(Page.HEAD_OF_PROFILE, member, user) if user.is_authenticated else []
