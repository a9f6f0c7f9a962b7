"""Table columns for titles and federations of members."""

from __future__ import annotations

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django_tables2 import Column

from members.flags import federation_code, flag
from members.titles import badge

# django_tables2 has no type stubs, so its classes are of type Any to mypy: hence `misc` below.


def named(who: object, title: str, code: str) -> SafeString:
    """Return a name with flag and title before it."""
    return format_html("{} {} {}", flag(code), badge(title), who) if code or title else format_html("{}", who)


class FederationCodeColumn(Column):  # type: ignore[misc]
    """Federation by code, for tables with the flag beside the member's name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"verbose_name": _("Federation"), **kwargs})

    def render(self, value: str) -> SafeString:
        return federation_code(value)
