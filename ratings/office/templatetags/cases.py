"""The button that opens a case about what a page shows."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django import template
from django.apps import apps
from django.template import Context
from django.urls import reverse

from ratings.office.subjects import MEMBER, subject_kind

register = template.Library()


@register.inclusion_tag("desk/_open_case.html", takes_context=True)
def open_case(context: Context, about: str, what: Any, key: int) -> dict[str, Any]:
    """Show the button to members concerned, staff who may open cases, and visitors, who log in first."""
    if not apps.is_installed("ratings.desk"):
        return {}
    user = context["user"]
    kind = subject_kind(about)
    if user.is_authenticated:
        concerns = any(one.user_id == user.pk for one in kind.openers(what))
    else:
        concerns = about != MEMBER
    if concerns:
        label = kind.button if user.is_authenticated else kind.button_to_log_in
        return {"label": label, "address": reverse("desk:open", args=(about, key))}
    return open_case_for(context, about, key)


@register.inclusion_tag("desk/_open_case.html", takes_context=True, name="open_case_for")
def open_case_for(context: Context, about: str, key: int) -> dict[str, Any]:
    """Show staff the button with which the office opens a case for somebody."""
    if not apps.is_installed("ratings.desk") or not context["user"].has_perm("desk.add_case"):
        return {}
    query = urlencode({"about": about, "key": key})
    return {"staff": True, "address": f"{reverse('admin:desk_case_add')}?{query}"}
