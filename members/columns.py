"""Columns about members: title and federation."""

from __future__ import annotations

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django_tables2 import Column

from members.flags import federation, flag, name_of
from members.titles import badge

# django_tables2 has no type stubs, so its classes are of type Any to mypy: hence `misc` below.


def named(who: object, title: str, code: str) -> SafeString:
    """A name with flag and title before it."""
    return format_html("{} {} {}", flag(code), badge(title), who) if code or title else format_html("{}", who)


class FederationNameColumn(Column):  # type: ignore[misc]
    """A federation by name, where its flag is beside the name of the member."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"verbose_name": _("Federation"), **kwargs})

    def render(self, value: str) -> str:
        return name_of(value)


class TitleColumn(Column):  # type: ignore[misc]
    """A title as a badge."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"verbose_name": _("Title"), "default": "", **kwargs})

    def render(self, value: str) -> SafeString:
        return badge(value)


class FederationColumn(Column):  # type: ignore[misc]
    """A federation by flag and name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"verbose_name": _("Federation"), **kwargs})

    def render(self, value: str) -> SafeString:
        return federation(value)
