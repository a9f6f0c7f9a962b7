"""Choosing members as in Django's admin, while the parameters of a decision name them by username."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.widgets import (
    AutocompleteMixin,
    AutocompleteSelect,
    AutocompleteSelectMultiple,
    get_select2_language,
)

from members.models import FullMembership, Member


def named(values: Iterable[str | None]) -> Iterator[str]:
    """Yield the usernames in the values of a box."""
    for value in values:
        # Decisions that version 0.19 proposed have all in one value, one a line.
        yield from filter(None, map(str.strip, (value or "").splitlines()))


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
        empty = [] if self.is_required or self.allow_multiple_selected else [("", "")]
        names = list(named(value))
        found = [(one, Member.everybody.called(one)) for one in names]
        chosen = [*empty, *((one, member.pick_label if member else one) for one, member in found)]
        options = [
            self.create_option(name, one, label, bool(one), index)
            for index, (one, label) in enumerate(chosen)
        ]
        return [(None, options, 0)]


class PickMember(_ByUsername, AutocompleteSelect):
    """Box for one member."""


class PickMembers(_ByUsername, AutocompleteSelectMultiple):
    """Box for several members."""

    def build_attrs(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Leave out the button that removes all: Select2 puts it into a list where only items may be."""
        return {**super().build_attrs(*args, **kwargs), "data-allow-clear": "false"}
