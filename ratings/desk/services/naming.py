"""Search for names in public text, which must name nobody."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from ratings.office.names import folded

_COLOURS: Final = {"WHITE", "BLACK"}
"""Last names, but also what everybody calls the players of a game."""


def named_in(text: str, members: Collection[Any]) -> list[str]:
    """Return these members' names and usernames that a text has as words, ignoring case and accents."""
    words = folded(text)
    return [
        name
        for member in members
        for name in _names(member)
        if re.search(rf"(?<!\w){re.escape(folded(name))}(?!\w)", words)
    ]


def _names(member: Any) -> Iterator[str]:
    yield member.username
    last, _, first = (part.strip() for part in member.name.partition(","))
    if last and folded(last) not in _COLOURS:
        yield last
    elif last and first:
        yield from (f"{first} {last}", f"{last}, {first}")
