"""Links from a list in the admin to the imports that can fill it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from ratings.office.importing import ImportKind, import_kinds

register = template.Library()


@register.simple_tag(takes_context=True)
def import_kinds_of(context: Mapping[str, Any], opts: Any) -> list[ImportKind]:
    """Return the kinds of files that this person may upload for a model."""
    user = context["user"]
    return import_kinds(user, opts.label_lower) if user.has_perm("office.view_fileimport") else []
