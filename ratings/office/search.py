"""One search for the whole site. Each room declares what can be found of it (``Room.searches``)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple, Protocol

from django.http import Http404
from django.utils.functional import Promise
from django.utils.module_loading import import_string

from ratings.office.rooms import installed

LONGEST: Final = 100
"""Maximum number of characters of a search that count."""


class Hit(NamedTuple):
    """A result of the search: its name, its page, and a few words that tell it apart.

    ``member``: the member who it is, with their ratings prefetched.
    """

    name: str
    address: str
    note: str = ""
    title: str = ""
    federation: str = ""
    member: Any = None


class Hits(NamedTuple):
    """Results of one kind, best first. ``more``: address of all that match, if there are more.

    ``guessed``: nothing matches, and these are only similar.
    """

    title: str | Promise
    found: Sequence[Hit]
    more: str = ""
    guessed: bool = False


class Search(Protocol):
    """The search of a room."""

    def __call__(self, text: str, most: int) -> Hits:
        """Return up to so many hits for a text that isn't empty."""


def cleaned(text: str) -> str:
    """Return the text of a search without control characters, cut to its maximum length."""
    return " ".join("".join(char if char.isprintable() else " " for char in text[:LONGEST]).split())


def search(text: str, most: int) -> list[Hits]:
    """Return what each room finds, without empty groups; what is only similar comes last."""
    asked: list[Search] = [import_string(path) for room in installed() for path in room.searches]
    found = [hits for one in asked if (hits := one(text, most)).found] if text else []
    return sorted(found, key=attrgetter("guessed"))


def search_in(of: str, text: str, most: int) -> list[Hits]:
    """Return what one search of a room finds, by the name of its function; raises Http404 if none has it."""
    paths = {
        path.rpartition(".")[2]: path for room in installed() for path in (*room.searches, *room.suggestions)
    }
    if of not in paths:
        raise Http404
    asked: Search = import_string(paths[of])
    hits = asked(text, most) if text else None
    return [hits] if hits and hits.found else []
