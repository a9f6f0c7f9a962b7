"""The sections of the page “My account”: each app registers its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from django.http import HttpRequest


class Section(NamedTuple):
    """Section of the page: ``key`` is its anchor, ``context`` is ``section`` in its template.

    Sections with a lower ``place`` come first.
    """

    place: int
    key: str
    title: str
    template: str
    context: Any = None


Finder = Callable[[HttpRequest], Section | None]
"""Function that returns the section for a logged-in user's request, or None."""

_FINDERS: Final[list[Finder]] = []

F = TypeVar("F", bound=Finder)


def section(find: F) -> F:
    """Register the finder of a section."""
    _FINDERS.append(find)
    return find


def sections(request: HttpRequest) -> list[Section]:
    """Return the sections for the logged-in user, in order of ``place``."""
    found = (find(request) for find in _FINDERS)
    return sorted((one for one in found if one is not None), key=lambda one: one.place)
