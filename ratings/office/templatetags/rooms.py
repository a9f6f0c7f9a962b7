"""What rooms add to pages of others."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from ratings.office import rooms

register = template.Library()


@register.simple_tag(takes_context=True)
def profile_actions(context: Context, member: Any) -> list[rooms.Part]:
    """What whoever is logged in can do about a member; nothing for visitors."""
    user = context["user"]
    return list(rooms.profile_actions(member, user)) if user.is_authenticated else []
