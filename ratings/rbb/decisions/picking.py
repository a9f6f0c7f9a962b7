"""Choosing members as in Django's admin, while the parameters of a decision name them by username."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.widgets import (
    AutocompleteMixin,
    AutocompleteSelect,
    get_select2_language,
)

from members.models import FullMembership, Member


class _ByUsername(AutocompleteMixin):
    """Autocomplete whose values are usernames. Django asks it for a column that refers to what is chosen."""

    def __init__(self) -> None:
        super().__init__(FullMembership._meta.get_field("member"), admin.site)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Copy it for a form, in the language of its reader."""
        copied = super().__deepcopy__(memo)  # type: ignore[misc]  # of the widget that this is mixed into
        copied.i18n_name = get_select2_language()
        return copied

    def get_url(self) -> str:
        """Return the address that finds members, and answers with their usernames."""
        return f"{super().get_url()}?named"

    def optgroups(self: Any, name: str, value: Sequence[str], attr: Any = None) -> Any:
        """Return the chosen members, and what was typed for one who isn't found."""
        empty = [] if self.is_required else [("", "")]
        names = [one for text in value if (one := (text or "").strip())]
        found = [(one, Member.everybody.called(one)) for one in names]
        chosen = [*empty, *((one, member.pick_label if member else one) for one, member in found)]
        options = [
            self.create_option(name, one, label, bool(one), index)
            for index, (one, label) in enumerate(chosen)
        ]
        return [(None, options, 0)]


class PickMember(_ByUsername, AutocompleteSelect):
    """Box for one member."""
