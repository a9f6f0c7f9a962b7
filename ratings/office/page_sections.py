"""Sections that rooms add to pages of other rooms. Each room registers its own in ``page_sections.py``.

The sections of a page are in the order of ``INSTALLED_APPS``. For “My account” see ``foa.account.sections``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, TypeVar

from django.utils.functional import Promise
from rest_framework.serializers import Serializer


class Page(Enum):
    """A page that other rooms add to. The value says what its sections are about."""

    GAME = "the game"
    MEMBER_IN_ADMIN = "the member and who looks"
    OVER_THE_BOARD = "the member"
    """The tab of a member's public page."""
    HEAD_OF_PROFILE = "the member and who is logged in"
    HEADER = "who is logged in"
    """The header of every page."""
    CHANGE_SET = "the change set"
    SUBJECT_IN_ADMIN = "kind and key of a subject, the text of a new case about it, and who looks"


class PageSection(NamedTuple):
    """A template and its context, available there as ``part``."""

    template: str
    context: Any


Links = Iterable[tuple[str, str | Promise]]
"""Addresses with their texts."""

_FACTS: Final[defaultdict[Page, dict[str, type[Serializer[Any]]]]] = defaultdict(dict)
_SECTIONS: Final[defaultdict[Page, list[Callable[..., PageSection | None]]]] = defaultdict(list)
_PERSON_PAGES: Final[list[Callable[[Any], Links]]] = []

F = TypeVar("F", bound=Callable[..., PageSection | None])
S = TypeVar("S", bound=type[Serializer[Any]])
L = TypeVar("L", bound=Callable[[Any], Links])


def adds_to(page: Page) -> Callable[[F], F]:
    """Register a function that takes the objects of the page and returns a section, or None."""

    def register(find: F) -> F:
        _SECTIONS[page].append(find)
        return find

    return register


def has_facts(page: Page, source: str) -> Callable[[S], S]:
    """Register what the API tells of the section whose context has this ``source``."""

    def register(serializer: S) -> S:
        _FACTS[page][source] = serializer
        return serializer

    return register


def facts_on(page: Page) -> Mapping[str, type[Serializer[Any]]]:
    """Return the serializers of the sections' contexts by their source."""
    return _FACTS[page]


def sections_of(page: Page, *about: Any) -> list[PageSection]:
    """Return the sections of a page about these objects."""
    found = (find(*about) for find in _SECTIONS[page])
    return [one for one in found if one is not None]


def page_about_person(find: L) -> L:
    """Register a function that takes a member and returns links to the room's pages about the same person."""
    _PERSON_PAGES.append(find)
    return find


def pages_about(member: Any, *, here: str) -> Iterator[tuple[str, str | Promise]]:
    """Yield links to the pages about a member, without the one at ``here``."""
    for find in _PERSON_PAGES:
        for address, words in find(member):
            if address != here:
                yield address, words
