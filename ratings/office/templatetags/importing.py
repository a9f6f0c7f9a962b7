"""The ways from a list of the admin to the files that it can be filled from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from ratings.office.importing import ImportKind, import_kinds

register = template.Library()


@register.simple_tag(takes_context=True)
def import_kinds_of(context: Mapping[str, Any], opts: Any) -> list[ImportKind]:
    """The kinds of files that this person may bring for a model."""
    user = context["user"]
    return import_kinds(user, opts.label_lower) if user.has_perm("office.view_fileimport") else []
