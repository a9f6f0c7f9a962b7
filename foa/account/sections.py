"""The sections of the page “My account”: each app registers its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from django.http import HttpRequest


class Section(NamedTuple):
    """A part of the page: ``key`` is its anchor, ``context`` is ``section`` in its template.

    Sections with a lower ``place`` come first.
    """

    place: int
    key: str
    title: str
    template: str
    context: Any = None


Finder = Callable[[HttpRequest], Section | None]
"""Takes a request of somebody who is logged in."""

_FINDERS: Final[list[Finder]] = []

F = TypeVar("F", bound=Finder)


def section(find: F) -> F:
    """Register a section."""
    _FINDERS.append(find)
    return find


def sections(request: HttpRequest) -> list[Section]:
    """Those that concern whoever is logged in, in their order."""
    found = (find(request) for find in _FINDERS)
    return sorted((one for one in found if one is not None), key=lambda one: one.place)
